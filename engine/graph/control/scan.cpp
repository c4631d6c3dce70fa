#include <fmt/format.h>

#include <algorithm>

#include "engine/graph/control.h"
#include "engine/graph/shared/elements.h"
#include "engine/graph/shared/stacking.h"

namespace tw::control_scan {
namespace {

// Operands: states, then sequences. The body takes the states and one row of each sequence; it
// gives the next states and one row of each result. With `batched` every operand and result has
// one more axis in front, and each of its places runs by itself.
using List = std::vector<int64_t>;

/// The attribute for each of `count` sequences or results; absent: zeros.
int64_t entry(Attributes const& attributes, char const* name, size_t i) {
  List list = integers(attributes, name);
  return i < list.size() ? list[i] : 0;
}

bool is_batched(Attributes const& attributes) { return integer(attributes, "batched") != 0; }

size_t sequence_count(Attributes const& attributes) {
  return size_t(integer(attributes, "sequences"));
}

size_t state_count(Attributes const& attributes, size_t operands) {
  return operands - sequence_count(attributes);
}

/// The operands as one place of the batch sees them.
Result<ValueType> unbatched(Attributes const& attributes, ValueType type) {
  if (!is_batched(attributes) || !type.dims) return type;
  if (type.dims->empty()) return ops::unfit("a batch without an axis");
  type.dims->erase(type.dims->begin());
  return type;
}

Result<std::vector<Value>> body_inputs(Attributes const& attributes,
                                       std::vector<Value> const& operands) {
  size_t states = state_count(attributes, operands.size());
  std::vector<Value> inputs;
  for (size_t i = 0; i < operands.size(); ++i) {
    TRY_ASSIGN(ValueType type, unbatched(attributes, operands[i].type));
    if (i >= states && type.dims) {
      TRY_ASSIGN(int64_t axis,
                 ops::normal_axis(entry(attributes, "axes", i - states), type.dims->size()));
      type.dims->erase(type.dims->begin() + axis);
    }
    inputs.push_back({"", type, {}});
  }
  return inputs;
}

std::vector<std::pair<size_t, size_t>> carried(Attributes const& attributes,
                                               std::vector<Value> const& operands) {
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t i = 0; i < state_count(attributes, operands.size()); ++i) pairs.push_back({i, i});
  return pairs;
}

/// Rows of the first sequence.
ir::Expr length(Attributes const& attributes, std::vector<Value> const& operands) {
  size_t states = state_count(attributes, operands.size());
  auto type = unbatched(attributes, operands[states].type);
  if (!type || !type->dims) return {};
  auto axis = ops::normal_axis(entry(attributes, "axes", 0), type->dims->size());
  return axis ? (*type->dims)[size_t(*axis)] : ir::Expr();
}

Result<std::vector<ValueType>> outputs(Attributes const& attributes,
                                       std::vector<Value> const& operands,
                                       std::vector<std::vector<Value>> const& bodies) {
  size_t states = state_count(attributes, operands.size());
  if (bodies[0].size() < states)
    return bad_input("wrong_outputs", fmt::format("its body gives {} values, but {} are states",
                                                  bodies[0].size(), states));
  ir::Expr rows = length(attributes, operands), batch;
  if (auto const& dims = operands[0].type.dims; is_batched(attributes) && dims && !dims->empty())
    batch = dims->front();
  std::vector<ValueType> types;
  for (size_t i = 0; i < bodies[0].size(); ++i) {
    ValueType type = bodies[0][i].type;
    if (type.dims && i >= states) {
      TRY_ASSIGN(int64_t axis, ops::normal_axis(entry(attributes, "result_axes", i - states),
                                                type.dims->size() + 1));
      type.dims->insert(type.dims->begin() + axis, rows);
    }
    if (type.dims && is_batched(attributes)) type.dims->insert(type.dims->begin(), batch);
    types.push_back(std::move(type));
  }
  return types;
}

/// Which axis of each sequence is walked, and how many rows all have.
struct Walk {
  std::vector<size_t> axes;
  int64_t rows = 0;
};

Result<Walk> walk_of(Attributes const& attributes, std::vector<NDArray> const& operands) {
  Walk walk;
  size_t states = state_count(attributes, operands.size());
  for (size_t i = states; i < operands.size(); ++i) {
    Shape const& shape = operands[i].shape();
    TRY_ASSIGN(int64_t axis, ops::normal_axis(entry(attributes, "axes", i - states), shape.size()));
    if (i > states && shape[size_t(axis)] != walk.rows)
      return ops::unfit(fmt::format("sequences of {} and {} rows", walk.rows, shape[size_t(axis)]));
    walk.rows = shape[size_t(axis)];
    walk.axes.push_back(size_t(axis));
  }
  return walk;
}

Result<std::vector<NDArray>> gather(ControlCall const& call,
                                    std::vector<std::vector<NDArray>>& rows) {
  std::vector<NDArray> results;
  for (size_t i = 0; i < rows.size(); ++i) {
    TRY_ASSIGN(int64_t axis, ops::normal_axis(entry(call.attributes, "result_axes", i),
                                              rows[i].front().shape().size() + 1));
    if (entry(call.attributes, "result_directions", i)) std::ranges::reverse(rows[i]);
    TRY_ASSIGN(NDArray all, ops::stacked(rows[i], size_t(axis), call.limits.max_bytes));
    results.push_back(std::move(all));
  }
  return results;
}

Result<std::vector<NDArray>> scan(ControlCall const& call, std::vector<NDArray> const& operands) {
  size_t count = state_count(call.attributes, operands.size());
  std::vector<NDArray> states(operands.begin(), operands.begin() + int64_t(count));
  std::vector<std::vector<NDArray>> rows;
  TRY_ASSIGN(Walk walk, walk_of(call.attributes, operands));
  if (walk.rows == 0) return ops::unfit("a Scan over sequences without rows");
  for (int64_t round = 0; round < walk.rows; ++round) {
    if (call.limits.stop.stop_requested()) return environment_failed("cancelled", "cancelled");
    std::vector<NDArray> inputs = states;
    for (size_t i = 0; i < walk.axes.size(); ++i) {
      bool backward = entry(call.attributes, "directions", i) != 0;
      TRY_ASSIGN(NDArray row, ops::row_of(operands[count + i], walk.axes[i],
                                          backward ? walk.rows - 1 - round : round));
      inputs.push_back(std::move(row));
    }
    TRY_ASSIGN(std::vector<NDArray> made, call.run_body(0, inputs));
    if (made.size() < count)
      return bad_input("wrong_outputs", fmt::format("its body gives {} values", made.size()));
    rows.resize(made.size() - count);
    std::copy_n(made.begin(), count, states.begin());
    for (size_t i = 0; i < rows.size(); ++i) rows[i].push_back(made[count + i]);
  }
  TRY_ASSIGN(std::vector<NDArray> results, gather(call, rows));
  states.insert(states.end(), results.begin(), results.end());
  return states;
}

Result<std::vector<NDArray>> run(ControlCall const& call) {
  if (!is_batched(call.attributes)) return scan(call, call.operands);
  Shape const& first = call.operands[0].shape();
  int64_t batch = first.empty() ? 0 : first[0];
  std::vector<std::vector<NDArray>> results;
  for (int64_t place = 0; place < batch; ++place) {
    std::vector<NDArray> operands;
    for (NDArray const& operand : call.operands) {
      if (operand.shape().empty() || operand.shape()[0] != batch)
        return ops::unfit(
            fmt::format("batches of {} and of shape {}", batch, to_text(operand.shape())));
      TRY_ASSIGN(NDArray row, ops::row_of(operand, 0, place));
      operands.push_back(std::move(row));
    }
    TRY_ASSIGN(std::vector<NDArray> made, scan(call, operands));
    results.resize(made.size());
    for (size_t i = 0; i < made.size(); ++i) results[i].push_back(made[i]);
  }
  std::vector<NDArray> all;
  for (std::vector<NDArray> const& rows : results) {
    TRY_ASSIGN(NDArray one, ops::stacked(rows, 0, call.limits.max_bytes));
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

ControlOperator const& row() {
  static ControlOperator const op{
      .name = "scan",
      .doc =
          "A graph that runs once for each row of its sequences and carries states from row to "
          "row.",
      .bodies = {"body"},
      .attributes = {{"sequences", "how many of the last operands are scanned"},
                     {"axes", "the axis that is scanned, per sequence; absent: 0"},
                     {"directions", "1: from the last row, per sequence"},
                     {"result_axes", "the axis of the rows, per result; absent: 0"},
                     {"result_directions", "1: the first row becomes the last, per result"},
                     {"batched",
                      "1: the first axis is a batch; each of its elements runs separately"}},
      .body_inputs = body_inputs,
      .carried = carried,
      .outputs = outputs,
      .run = run,
  };
  return op;
}

}  // namespace tw::control_scan
