#include "engine/graph/operator.h"

namespace tw {

Operator const& op_scatter_elements();

namespace {

Result<Converted> from_onnx(ForeignContext const& context) {
  TRY_ASSIGN(Converted converted, op_scatter_elements().from_onnx(context));
  converted.op = "scatter_elements";
  return converted;
}

/// What scatter_elements is, by the name that it had before opset 11.
Operator made() {
  Operator op = op_scatter_elements();
  op.name = "scatter";
  op.onnx = "Scatter";
  op.onnx_attributes = {{"axis", 9}};
  op.from_onnx = from_onnx;
  return op;
}

}  // namespace

Operator const& op_scatter() {
  static Operator const op = made();
  return op;
}

}  // namespace tw
