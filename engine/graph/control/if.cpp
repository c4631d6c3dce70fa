#include <fmt/format.h>

#include "engine/graph/control.h"

namespace tw::control_if {
namespace {

constexpr size_t kThen = 0, kElse = 1;

std::optional<size_t> decide(std::vector<Value> const& operands) {
  NDArray const& condition = operands[0].constant;
  if (condition.empty() || condition.size() != 1) return std::nullopt;
  return condition.value_at(0) != 0 ? kThen : kElse;
}

Result<std::vector<Value>> body_inputs(Attributes const&, std::vector<Value> const&) {
  return std::vector<Value>();
}

Result<std::vector<ValueType>> outputs(Attributes const&, std::vector<Value> const&,
                                       std::vector<std::vector<Value>> const& bodies) {
  std::vector<ValueType> types;
  for (Value const& value : bodies[0]) types.push_back(value.type);
  for (std::vector<Value> const& body : bodies) {
    if (body.size() != types.size())
      return bad_input("wrong_outputs", fmt::format("its branches give {} and {} values",
                                                    types.size(), body.size()));
    for (size_t i = 0; i < types.size(); ++i) types[i] = common_type(types[i], body[i].type);
  }
  return types;
}

Result<std::vector<NDArray>> run(ControlCall const& call) {
  NDArray const& condition = call.operands[0];
  if (condition.size() != 1)
    return bad_input("wrong_shapes", fmt::format("its condition is a tensor of shape {}",
                                                 to_text(condition.shape())));
  return call.run_body(condition.value_at(0) != 0 ? kThen : kElse, {});
}

}  // namespace

ControlOperator const& row() {
  static ControlOperator const op{
      .name = "if",
      .doc = "One of two graphs, chosen by a condition.",
      .bodies = {"then", "else"},
      .attributes = {},
      .decide = decide,
      .body_inputs = body_inputs,
      .outputs = outputs,
      .run = run,
  };
  return op;
}

}  // namespace tw::control_if
