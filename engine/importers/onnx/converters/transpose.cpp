#include "engine/importers/onnx/converters.h"

namespace tw::onnx_transpose {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  Attributes attributes;
  if (foreign_has(context.node, "perm"))
    attributes["order"] = foreign_integers(context.node, "perm");
  return keep_inputs(context, 1, attributes);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Transpose", .attributes = {{"perm"}}, .op = "transpose", .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_transpose
