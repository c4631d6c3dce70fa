#include "engine/graph/shared/onnx.h"

namespace tw {

Operator const& op_resize();

namespace {

using namespace ops;

/// Scales are an attribute up to opset 8, an operand in opset 9.
Result<Converted> from_onnx(ForeignContext const& context) {
  Attributes attributes{{"mode", onnx_text(context.node, "mode", "nearest")},
                        {"coordinates", std::string("asymmetric")},
                        {"nearest", std::string("floor")}};
  auto given = context.node.attributes.find("scales");
  if (given != context.node.attributes.end() &&
      std::holds_alternative<std::vector<double>>(given->second)) {
    attributes["scales"] = std::get<std::vector<double>>(given->second);
  } else {
    TRY_ASSIGN(attributes["scales"], constant_numbers(context, 1, "the scale"));
  }
  Converted converted = keep_inputs(context, 1, attributes);
  converted.op = "resize";
  return converted;
}

/// What resize is, by the name that it had before opset 10.
Operator made() {
  Operator op = op_resize();
  op.onnx_attributes = {{"height_scale", 1, 6}, {"mode"}, {"scales", 7, 8}, {"width_scale", 1, 6}};
  op.name = "upsample";
  op.onnx = "Upsample";
  op.from_onnx = from_onnx;
  return op;
}

}  // namespace

Operator const& op_upsample() {
  static Operator const op = made();
  return op;
}

}  // namespace tw
