#include "engine/importers/onnx/rules.h"

namespace tw {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  Attributes attributes;
  if (foreign_has(context.node, "perm"))
    attributes["order"] = foreign_integers(context.node, "perm");
  return keep_inputs(context, 1, attributes);
}

}  // namespace

RuleList const& onnx_transpose() {
  static RuleList const rules{
      {.type = "Transpose", .attributes = {{"perm"}}, .op = "transpose", .convert = convert},
  };
  return rules;
}

}  // namespace tw
