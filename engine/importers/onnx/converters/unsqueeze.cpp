#include "engine/importers/onnx/converters.h"

namespace tw::onnx_unsqueeze {
namespace {

using namespace rules;

Result<Converted> convert(ForeignContext const& context) {
  Attributes attributes;
  if (context.opset < 13) {
    attributes["axes"] = foreign_integers(context.node, "axes");
  } else {
    TRY_ASSIGN(attributes["axes"], constant_integers(context, 1, "the list of axes"));
  }
  return keep_inputs(context, 1, attributes);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Unsqueeze", .attributes = {{"axes", 1, 12}}, .op = "unsqueeze", .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_unsqueeze
