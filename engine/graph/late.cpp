#include "engine/graph/late.h"

#include <algorithm>

#include "engine/graph/shared/known_late.h"

namespace tw {
namespace {

std::vector<std::optional<size_t>> places_of(std::vector<std::string> const& wanted,
                                             std::vector<std::string> const& inputs) {
  std::vector<std::optional<size_t>> places;
  for (std::string const& name : wanted) {
    auto found = std::ranges::find(inputs, name);
    places.push_back(name.empty() || found == inputs.end()
                         ? std::nullopt
                         : std::optional<size_t>(found - inputs.begin()));
  }
  while (!places.empty() && !places.back()) places.pop_back();
  return places;
}

}  // namespace

bool is_late(Error const& error) { return error.code == ops::kKnownLate; }

Result<std::vector<LateCall>> convert_late(Node const& node, std::vector<NDArray> const& operands) {
  LateNode const& late = *node.late;
  ForeignContext context{late.node, late.opset, operands, {}, {}, {}};
  for (NDArray const& operand : operands) {
    bool given = !operand.empty();
    context.ranks.push_back(given ? int(operand.shape().size()) : -1);
    context.types.push_back(given ? std::optional(operand.type()) : std::nullopt);
    context.shapes.push_back(given ? std::optional(operand.shape()) : std::nullopt);
  }
  TRY_ASSIGN(Converted converted, late.op->from_onnx(context));
  LateCall call{{}, places_of(converted.inputs, late.node.inputs)};
  call.node.name = node.name;
  call.node.op = converted.op.empty() ? late.op : find_operator(converted.op);
  call.node.type = call.node.op->name;
  call.node.attributes = std::move(converted.attributes);
  if (converted.each_output.empty()) return std::vector{call};
  std::vector<LateCall> calls;
  for (Attributes const& part : converted.each_output) {
    calls.push_back(call);
    calls.back().node.attributes.insert(part.begin(), part.end());
  }
  return calls;
}

}  // namespace tw
