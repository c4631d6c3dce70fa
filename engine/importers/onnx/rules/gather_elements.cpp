#include "engine/importers/onnx/rules.h"

namespace tw {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  return keep_inputs(context, 2, {{"axis", foreign_integer(context.node, "axis", 0)}});
}

}  // namespace

RuleList const& onnx_gather_elements() {
  static RuleList const rules{
      {.type = "GatherElements",
       .attributes = {{"axis", 11}},
       .op = "gather_elements",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw
