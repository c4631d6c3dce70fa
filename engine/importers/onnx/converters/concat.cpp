#include "engine/importers/onnx/converters.h"

namespace tw::onnx_concat {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  return keep_inputs(context, context.node.inputs.size(),
                     {{"axis", foreign_integer(context.node, "axis", 1)}});
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Concat", .attributes = {{"axis"}}, .op = "concat", .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_concat
