#include "engine/importers/onnx/converters.h"

namespace tw::onnx_upsample {
namespace {

using namespace rules;

/// Scales are an attribute up to opset 8, an operand in opset 9.
Result<Converted> convert(ForeignContext const& context) {
  Attributes attributes{{"mode", foreign_text(context.node, "mode", "nearest")},
                        {"coordinates", std::string("asymmetric")},
                        {"nearest", std::string("floor")}};
  auto given = context.node.attributes.find("scales");
  if (given != context.node.attributes.end() &&
      std::holds_alternative<std::vector<double>>(given->second)) {
    attributes["scales"] = std::get<std::vector<double>>(given->second);
  } else {
    TRY_ASSIGN(attributes["scales"], constant_numbers(context, 1, "the scale"));
  }
  return keep_inputs(context, 1, attributes);
}

}  // namespace

ConverterList const& row() {
  static ConverterList const rules{
      {.type = "Upsample",
       .attributes = {{"height_scale", 1, 6}, {"mode"}, {"scales", 7, 8}, {"width_scale", 1, 6}},
       .op = "resize",
       .convert = convert},
  };
  return rules;
}

}  // namespace tw::onnx_upsample
