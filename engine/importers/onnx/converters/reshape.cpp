#include "engine/importers/onnx/converters.h"

namespace tw::onnx_reshape {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  Attributes attributes{{"allow_zero", foreign_integer(context.node, "allowzero", 0)}};
  if (context.opset < 5) {
    attributes["shape"] = foreign_integers(context.node, "shape");
  } else {
    TRY_ASSIGN(attributes["shape"], constant_integers(context, 1, "the new shape"));
  }
  return keep_inputs(context, 1, attributes);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Reshape",
       .attributes = {{"allowzero", 14}, {"consumed_inputs", 1, 4}, {"shape", 1, 4}},
       .op = "reshape",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_reshape
