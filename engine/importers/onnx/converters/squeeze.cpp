#include "engine/importers/onnx/converters.h"

namespace tw::onnx_squeeze {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  Attributes attributes;
  if (foreign_has(context.node, "axes")) {
    attributes["axes"] = foreign_integers(context.node, "axes");
  } else if (input_given(context, 1)) {
    TRY_ASSIGN(attributes["axes"], constant_integers(context, 1, "the list of axes"));
  }
  return keep_inputs(context, 1, attributes);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Squeeze", .attributes = {{"axes", 1, 12}}, .op = "squeeze", .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_squeeze
