#include <fmt/format.h>

#include "engine/graph/control.h"
#include "engine/graph/shared/stacking.h"
#include "engine/ir/op.h"
#include "engine/tensor/integers.h"

namespace tw::control_loop {
namespace {

// Operands: the most rounds, the first condition, then what is carried from round to round. The
// body takes the round, the condition and what is carried; it gives the next condition, what is
// carried, and rows of what the loop gathers.
constexpr size_t kMost = 0, kCondition = 1, kOwn = 2;
constexpr int64_t kMostRounds = 1 << 20;  // a condition may never become false

size_t carried_count(std::vector<Value> const& operands) { return operands.size() - kOwn; }

NDArray scalar(DType type, double value) {
  NDArray array = NDArray::create(type, {}).value();
  array.set_value(0, value);
  return array;
}

Result<std::vector<Value>> body_inputs(Attributes const&, std::vector<Value> const& operands) {
  // A round is run only when the condition holds.
  std::vector<Value> inputs{{"", tensor_type(DType::kI64, {}), {}},
                            {"", tensor_type(DType::kBool, {}), scalar(DType::kBool, 1)}};
  for (size_t i = kOwn; i < operands.size(); ++i) inputs.push_back({"", operands[i].type, {}});
  return inputs;
}

std::vector<std::pair<size_t, size_t>> carried(Attributes const&,
                                               std::vector<Value> const& operands) {
  std::vector<std::pair<size_t, size_t>> pairs;
  for (size_t i = 0; i < carried_count(operands); ++i) pairs.push_back({1 + i, kOwn + i});
  return pairs;
}

bool holds(NDArray const& condition) { return condition.size() == 1 && condition.value_at(0) != 0; }

/// How often it runs, when that is known before: a number, and a condition that stays.
ir::Expr rounds(std::vector<Value> const& operands, Value const& next_condition) {
  NDArray const &most = operands[kMost].constant, &first = operands[kCondition].constant;
  bool given = !operands[kCondition].name.empty();
  if (given && (first.empty() || first.size() != 1)) return {};
  if (given && !holds(first)) return ir::int_imm(0);
  if (most.empty() || most.size() != 1 || !holds(next_condition.constant)) return {};
  return ir::int_imm(std::max<int64_t>(0, integer_at(most, 0)));
}

Result<std::vector<ValueType>> outputs(Attributes const&, std::vector<Value> const& operands,
                                       std::vector<std::vector<Value>> const& bodies) {
  std::vector<Value> const& body = bodies[0];
  size_t count = carried_count(operands);
  if (body.size() < 1 + count)
    return bad_input("wrong_outputs", fmt::format("its body gives {} values, but {} are carried",
                                                  body.size(), count + 1));
  std::vector<ValueType> types;
  for (size_t i = 0; i < count; ++i)
    types.push_back(common_type(operands[kOwn + i].type, body[1 + i].type));
  ir::Expr extent = rounds(operands, body[0]);
  for (size_t i = 1 + count; i < body.size(); ++i) {
    ValueType type = body[i].type;
    if (type.dims) type.dims->insert(type.dims->begin(), extent);
    types.push_back(std::move(type));
  }
  return types;
}

/// What a loop of no round gathers: nothing, of the rows' shape where that is known.
Result<NDArray> nothing(ValueType const& type) {
  Shape shape{0};
  for (size_t i = 1; type.dims && i < type.dims->size(); ++i) {
    std::optional<int64_t> extent =
        (*type.dims)[i] ? ir::as_int((*type.dims)[i]) : std::optional<int64_t>();
    shape.push_back(extent.value_or(0));
  }
  return NDArray::create(type.dtype.value_or(DType::kF32), shape);
}

Status check_operands(std::vector<NDArray> const& operands) {
  for (size_t i : {kMost, kCondition})
    if (!operands[i].empty() && operands[i].size() != 1)
      return bad_input("wrong_shapes", fmt::format("its {} is a tensor of shape {}",
                                                   i == kMost ? "trip count" : "condition",
                                                   to_text(operands[i].shape())));
  return {};
}

/// What the rounds leave behind.
struct Rounds {
  std::vector<NDArray> carried;
  std::vector<std::vector<NDArray>> rows;  ///< per gathered output, one per round
  bool goes_on = true;

  Status run(ControlCall const& call, int64_t number) {
    std::vector<NDArray> inputs{scalar(DType::kI64, double(number)), scalar(DType::kBool, 1)};
    inputs.insert(inputs.end(), carried.begin(), carried.end());
    TRY_ASSIGN(std::vector<NDArray> made, call.run_body(0, inputs));
    if (made.size() < 1 + carried.size() + rows.size())
      return bad_input("wrong_outputs", fmt::format("its body gives {} values", made.size()));
    goes_on = holds(made[0]);
    for (size_t i = 0; i < carried.size(); ++i) carried[i] = made[1 + i];
    for (size_t i = 0; i < rows.size(); ++i) {
      rows[i].push_back(made[1 + carried.size() + i]);
      int64_t bytes = std::max<int64_t>(1, rows[i].back().byte_size());
      if (int64_t(rows[i].size()) > call.limits.max_bytes / bytes)
        return bad_input("tensor_too_large", fmt::format("its iterations gather more than {} MiB",
                                                         call.limits.max_bytes >> 20));
    }
    return {};
  }
};

Result<std::vector<NDArray>> run(ControlCall const& call) {
  std::vector<NDArray> const& operands = call.operands;
  TRY(check_operands(operands));
  Rounds rounds{{operands.begin() + kOwn, operands.end()}, {}, true};
  size_t carried = rounds.carried.size();
  rounds.rows.resize(std::max(call.outputs.size(), carried) - carried);
  rounds.goes_on = operands[kCondition].empty() || holds(operands[kCondition]);
  for (int64_t number = 0; rounds.goes_on; ++number) {
    if (!operands[kMost].empty() && number >= integer_at(operands[kMost], 0)) break;
    if (call.limits.stop.stop_requested()) return environment_failed("cancelled", "cancelled");
    if (number == kMostRounds)
      return bad_input("loop_too_long",
                       fmt::format("it has not ended after {} iterations", number));
    TRY(rounds.run(call, number));
  }
  std::vector<NDArray> results = rounds.carried;
  for (size_t i = 0; i < rounds.rows.size(); ++i) {
    TRY_ASSIGN(NDArray gathered, rounds.rows[i].empty()
                                     ? nothing(call.outputs[carried + i])
                                     : ops::stacked(rounds.rows[i], 0, call.limits.max_bytes));
    results.push_back(std::move(gathered));
  }
  return results;
}

}  // namespace

ControlOperator const& row() {
  static ControlOperator const op{
      .name = "loop",
      .doc =
          "A graph that runs repeatedly while a condition holds, up to a given number of "
          "iterations.",
      .bodies = {"body"},
      .attributes = {},
      .body_inputs = body_inputs,
      .carried = carried,
      .outputs = outputs,
      .run = run,
  };
  return op;
}

}  // namespace tw::control_loop
