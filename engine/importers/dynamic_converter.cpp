#include "engine/importers/dynamic_converter.h"

#include <algorithm>

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

ForeignContext context_of(ForeignNode const& node, int64_t opset,
                          std::vector<NDArray> const& operands) {
  ForeignContext context{node, opset, operands, {}, {}, {}};
  for (NDArray const& operand : operands) {
    bool given = !operand.empty();
    context.ranks.push_back(given ? int(operand.shape().size()) : -1);
    context.types.push_back(given ? std::optional(operand.type()) : std::nullopt);
    context.shapes.push_back(given ? std::optional(operand.shape()) : std::nullopt);
  }
  return context;
}

Result<std::vector<DynamicCall>> calls_of(ForeignNode const& node, int64_t opset,
                                          Converter const& rule,
                                          std::vector<NDArray> const& operands) {
  TRY_ASSIGN(Converted converted, rule.convert(context_of(node, opset, operands)));
  DynamicCall call{{}, places_of(converted.inputs, node.inputs)};
  call.node.op = find_operator(converted.op.empty() ? rule.op : converted.op);
  call.node.type = call.node.op->name;
  call.node.attributes = std::move(converted.attributes);
  if (converted.each_output.empty()) return std::vector{call};
  std::vector<DynamicCall> calls;
  for (Attributes const& part : converted.each_output) {
    calls.push_back(call);
    calls.back().node.attributes.insert(part.begin(), part.end());
  }
  return calls;
}

}  // namespace

std::shared_ptr<DynamicNode const> dynamic_node(ForeignNode const& node, int64_t opset,
                                                Converter const& rule) {
  DynamicNode dynamic{find_operator(rule.op), {}};
  dynamic.convert = [node, opset, &rule](std::vector<NDArray> const& operands) {
    return calls_of(node, opset, rule, operands);
  };
  return std::make_shared<DynamicNode const>(std::move(dynamic));
}

}  // namespace tw
