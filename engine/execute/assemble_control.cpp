// If, Loop and Scan in a package: bodies over the same memory, and what is copied between them.
#include <fmt/format.h>

#include <algorithm>

#include "engine/execute/assembler.h"

namespace tw {
namespace {

using package::Buffer;
using package::Copy;
using package::Region;
using package::Row;

// Of a Loop: operands and inputs of its body before what is carried, outputs of its body before.
constexpr size_t kLoopOwn = 2, kLoopMade = 1;

NDArray scalar(DType type, double value) {
  NDArray array = NDArray::create(type, {}).value();
  array.set_value(0, value);
  return array;
}

bool is_of(Value const& value, DType type) { return value.type.dtype == type; }

/// Known, and the same bytes mean the same.
bool fit(Value const& a, Value const& b) {
  auto first = bytes_of(a), second = bytes_of(b);
  return first && second && *first == *second && a.type.dtype == b.type.dtype;
}

Value const& body_input(Node const& node, size_t body, size_t i) {
  Graph const& graph = *node.sub_graphs[body];
  return graph.value(graph.inputs[i]);
}

Value const& body_output(Node const& node, size_t body, size_t i) {
  Graph const& graph = *node.sub_graphs[body];
  return graph.value(graph.outputs[i]);
}

/// States keep type and shape: what goes in, what a round makes, what comes out.
std::string state_obstacle(Graph const& graph, Node const& node, size_t count, size_t first_operand,
                           size_t first_output) {
  for (size_t i = 0; i < count; ++i) {
    ValueId operand = node.inputs[first_operand + i];
    Value const& inside = body_input(node, 0, first_operand + i);
    if (!operand.valid() || !fit(graph.value(operand), inside) ||
        !fit(body_output(node, 0, first_output + i), inside))
      return fmt::format("the value '{}' that it carries changes its size between iterations",
                         inside.name);
  }
  return {};
}

std::string if_obstacle(Graph const& graph, PlanStep const& step) {
  Node const& node = control_node(graph, step);
  Value const& condition = graph.value(node.inputs[0]);
  if (!is_of(condition, DType::kBool) || !fit(condition, condition) || *bytes_of(condition) != 1)
    return "its condition is not a single bool";
  for (size_t b = 0; b < step.bodies.size(); ++b)
    for (size_t i = 0; i < step.outputs.size() && !first_opaque(step.bodies[b]); ++i)
      if (step.outputs[i].valid() && !fit(graph.value(step.outputs[i]), body_output(node, b, i)))
        return fmt::format("its branches give '{}' in different shapes",
                           graph.value(step.outputs[i]).name);
  return {};
}

std::string loop_obstacle(Graph const& graph, PlanStep const& step) {
  Node const& node = control_node(graph, step);
  ValueId most = node.inputs[0], condition = node.inputs[1];
  if (most.valid() && (!is_of(graph.value(most), DType::kI64) || *bytes_of(graph.value(most)) != 8))
    return "its trip count is not a single i64";
  if (condition.valid() && !fit(graph.value(condition), body_output(node, 0, 0)))
    return "its condition is not a single bool";
  if (!is_of(body_output(node, 0, 0), DType::kBool)) return "its condition is not a single bool";
  return state_obstacle(graph, node, operand_count(node) - kLoopOwn, kLoopOwn, kLoopMade);
}

int64_t sequences_of(Node const& node) { return integer(node.attributes, "sequences"); }

std::string scan_obstacle(Graph const& graph, PlanStep const& step) {
  Node const& node = control_node(graph, step);
  if (integer(node.attributes, "batched") != 0)
    return "it runs separately for each element of a batch";
  return state_obstacle(graph, node, operand_count(node) - size_t(sequences_of(node)), 0, 0);
}

/// The axis walked of a sequence or result of `rank` dimensions, and blocks before it.
struct Walked {
  size_t axis = 0;
  int64_t outer = 1, rows = 0;
  bool backward = false;
};

Walked walked(Node const& node, Shape const& shape, char const* axes, char const* directions,
              size_t i) {
  auto entry = [&](char const* name) {
    std::vector<int64_t> list = integers(node.attributes, name);
    return i < list.size() ? list[i] : 0;
  };
  int64_t axis = entry(axes);
  Walked result;
  result.axis = size_t(axis < 0 ? axis + int64_t(shape.size()) : axis);
  for (size_t a = 0; a < result.axis; ++a) result.outer *= shape[a];
  result.rows = shape[result.axis];
  result.backward = entry(directions) != 0;
  return result;
}

}  // namespace

std::string control_obstacle(Graph const& graph, PlanStep const& step) {
  PlanStep const* opaque = nullptr;
  for (BodyPlan const& body : step.bodies)
    if (opaque = first_opaque(body); !opaque) break;  // this one can be chosen
  if (opaque) return opaque->reason;
  for (ValueId id : step.outputs)
    if (id.valid() && !bytes_of(graph.value(id)))
      return fmt::format("the size of '{}' is known only when the model runs",
                         graph.value(id).name);
  Node const& node = control_node(graph, step);
  for (size_t i = 0; i < operand_count(node); ++i)
    if (node.inputs[i].valid() && !bytes_of(graph.value(node.inputs[i])))
      return fmt::format("the size of '{}' is known only when the model runs",
                         graph.value(node.inputs[i]).name);
  std::string const& name = node.control->name;
  return name == "if"     ? if_obstacle(graph, step)
         : name == "loop" ? loop_obstacle(graph, step)
         : name == "scan" ? scan_obstacle(graph, step)
                          : fmt::format("an exported model has no step for {}", name);
}

/// What it makes lies below what its bodies use: all of it gets its place first.
Result<package::Step> Assembler::control_step(Scope& scope, PlanStep const& step) {
  for (ValueId id : step.outputs)
    if (id.valid()) TRY(target_of(scope, id));
  std::string const& name = control_node(scope.graph, step).control->name;
  return name == "if"     ? if_step(scope, step)
         : name == "loop" ? loop_step(scope, step)
                          : scan_step(scope, step);
}

/// What a body captures it reads where it lies.
Result<Scope> Assembler::scope_of_body(Scope& outer, PlanStep const& step, size_t body) {
  Node const& node = control_node(outer.graph, step);
  Graph const& graph = *node.sub_graphs[body];
  Scope inner{graph, outer.site, {}, outer.tops};
  size_t first = graph.inputs.size() - size_t(node.captured);
  for (size_t i = 0; i < size_t(node.captured); ++i) {
    ValueId outside = node.inputs[operand_count(node) + i], inside = graph.inputs[first + i];
    if (graph.value(inside).is_constant() || !bytes_of(graph.value(inside))) continue;
    TRY_ASSIGN(inner.at(inside), place_of(outer, outside));
  }
  place_allocations(inner, step.bodies[body].memory);
  return inner;
}

Result<package::Step> Assembler::if_step(Scope& scope, PlanStep const& step) {
  package::Step added;
  added.kind = package::StepKind::kIf;
  TRY_ASSIGN(added.condition, exactly(scope, step.inputs[0]));
  for (size_t body = 0; body < step.bodies.size(); ++body) {
    TRY_ASSIGN(package::Body one, branch(scope, step, body));
    added.bodies.push_back(std::move(one));
  }
  return added;
}

/// What a branch makes it makes where the node's output lies; what it only hands through is copied.
Result<package::Body> Assembler::branch(Scope& scope, PlanStep const& step, size_t body) {
  package::Body result;
  BodyPlan const& plan = step.bodies[body];
  if (PlanStep const* opaque = first_opaque(plan)) {
    result.refuses = opaque->reason;
    return result;
  }
  TRY_ASSIGN(Scope inner, scope_of_body(scope, step, body));
  std::set<ValueId> made;
  for (PlanStep const& one : plan.steps) made.insert(one.outputs.begin(), one.outputs.end());
  std::vector<std::pair<ValueId, ValueId>> handed;
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    ValueId from = inner.graph.outputs[i], to = step.outputs[i];
    if (!to.valid()) continue;
    if (made.contains(from) && !inner.has(from)) {
      TRY_ASSIGN(inner.at(from), exactly(scope, to));
    } else {
      handed.push_back({from, to});
    }
  }
  TRY_ASSIGN(result.steps, steps_of(inner, plan));
  for (auto const& [from, to] : handed) {
    Copy copy;
    TRY_ASSIGN(copy.from, exactly(inner, from));
    TRY_ASSIGN(copy.to, exactly(scope, to));
    result.copies.push_back(copy);
  }
  return result;
}

Result<Copy> Assembler::begin_state(Scope& outer, Scope& inner, ValueId from, ValueId state) {
  Copy copy;
  TRY_ASSIGN(copy.from, exactly(outer, from));
  copy.to = inner.at(state) = reserve(inner, copy.from.bytes);
  return copy;
}

Result<std::vector<Copy>> Assembler::carry(Scope& inner, size_t first_input, size_t first_output,
                                           size_t count) {
  auto input = inner.graph.inputs.begin() + int64_t(first_input);
  std::vector<Copy> aside, back;
  for (size_t i = 0; i < count; ++i, ++input) {
    ValueId next = inner.graph.outputs[first_output + i];
    if (next == *input) continue;
    Copy copy;
    TRY_ASSIGN(copy.from, exactly(inner, next));
    // Two states may change places: one that comes from another is put aside first.
    auto states = inner.graph.inputs.begin() + int64_t(first_input);
    if (std::find(states, states + int64_t(count), next) != states + int64_t(count)) {
      aside.push_back({copy.from, reserve(inner, copy.from.bytes)});
      copy.from = aside.back().to;
    }
    TRY_ASSIGN(copy.to, exactly(inner, *input));
    back.push_back(copy);
  }
  aside.insert(aside.end(), back.begin(), back.end());
  return aside;
}

Result<package::Step> Assembler::loop_step(Scope& scope, PlanStep const& step) {
  Node const& node = control_node(scope.graph, step);
  package::Step added;
  added.kind = package::StepKind::kLoop;
  if (node.inputs[0].valid()) {
    TRY_ASSIGN(added.loop.most, exactly(scope, node.inputs[0]));
  }
  if (node.inputs[1].valid()) {
    TRY_ASSIGN(added.condition, exactly(scope, node.inputs[1]));
  }
  TRY_ASSIGN(Scope inner, scope_of_body(scope, step, 0));
  std::vector<ValueId> const &inputs = inner.graph.inputs, &outputs = inner.graph.outputs;
  added.loop.number = inner.at(inputs[0]) = reserve(inner, 8);
  inner.at(inputs[1]) = add_parameter(scalar(DType::kBool, 1));  // else there is no round
  size_t count = operand_count(node) - kLoopOwn;
  for (size_t i = 0; i < count; ++i) {
    TRY_ASSIGN(Copy copy,
               begin_state(scope, inner, node.inputs[kLoopOwn + i], inputs[kLoopOwn + i]));
    added.loop.begin.push_back(copy);
  }
  package::Body body;
  TRY_ASSIGN(body.steps, steps_of(inner, step.bodies[0]));
  TRY_ASSIGN(added.loop.next, exactly(inner, outputs[0]));
  TRY_ASSIGN(body.copies, carry(inner, kLoopOwn, kLoopMade, count));
  added.bodies.push_back(std::move(body));
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    if (!step.outputs[i].valid()) continue;
    TRY_ASSIGN(Buffer result, exactly(scope, step.outputs[i]));
    if (i < count) {
      added.loop.end.push_back({inner.at(inputs[kLoopOwn + i]), result});
      continue;
    }
    TRY_ASSIGN(Buffer row, exactly(inner, outputs[kLoopMade + i]));
    if (row.bytes > 0) added.loop.given.push_back({result, row, 1, false});
  }
  return added;
}

Result<package::Step> Assembler::scan_step(Scope& scope, PlanStep const& step) {
  Node const& node = control_node(scope.graph, step);
  package::Step added;
  added.kind = package::StepKind::kLoop;
  TRY_ASSIGN(Scope inner, scope_of_body(scope, step, 0));
  size_t operands = operand_count(node), count = operands - size_t(sequences_of(node));
  std::vector<ValueId> const &inputs = inner.graph.inputs, &outputs = inner.graph.outputs;
  for (size_t i = 0; i < operands; ++i) {
    if (i < count) {
      TRY_ASSIGN(Copy copy, begin_state(scope, inner, node.inputs[i], inputs[i]));
      added.loop.begin.push_back(copy);
      continue;
    }
    Walked walk =
        walked(node, *scope.graph.value(node.inputs[i]).shape(), "axes", "directions", i - count);
    added.loop.most = add_parameter(scalar(DType::kI64, double(walk.rows)));
    TRY_ASSIGN(Buffer all, exactly(scope, node.inputs[i]));
    TRY_ASSIGN(int64_t bytes, bytes_of(inner.graph.value(inputs[i])));
    inner.at(inputs[i]) = reserve(inner, bytes);
    if (bytes > 0)
      added.loop.taken.push_back({all, inner.at(inputs[i]), walk.outer, walk.backward});
  }
  package::Body body;
  TRY_ASSIGN(body.steps, steps_of(inner, step.bodies[0]));
  TRY_ASSIGN(body.copies, carry(inner, 0, 0, count));
  added.bodies.push_back(std::move(body));
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    if (!step.outputs[i].valid()) continue;
    TRY_ASSIGN(Buffer result, exactly(scope, step.outputs[i]));
    if (i < count) {
      added.loop.end.push_back({inner.at(inputs[i]), result});
      continue;
    }
    Walked walk = walked(node, *scope.graph.value(step.outputs[i]).shape(), "result_axes",
                         "result_directions", i - count);
    TRY_ASSIGN(Buffer row, exactly(inner, outputs[i]));
    if (row.bytes > 0) added.loop.given.push_back({result, row, walk.outer, walk.backward});
  }
  return added;
}

}  // namespace tw
