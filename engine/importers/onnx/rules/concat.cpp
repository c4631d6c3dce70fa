#include "engine/importers/onnx/rules.h"

namespace tw {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  return keep_inputs(context, context.node.inputs.size(),
                     {{"axis", foreign_integer(context.node, "axis", 1)}});
}

}  // namespace

RuleList const& onnx_concat() {
  static RuleList const rules{
      {.type = "Concat", .attributes = {{"axis"}}, .op = "concat", .convert = convert},
  };
  return rules;
}

}  // namespace tw
