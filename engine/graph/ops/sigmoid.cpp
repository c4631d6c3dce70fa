#include <cmath>

#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return map_compute(inputs, name, [](ir::Expr x) {
    return immediate(1, x.type()) /
           (immediate(1, x.type()) + ir::unary(ir::UnaryOp::kExp, ir::unary(ir::UnaryOp::kNeg, x)));
  });
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  return map_elements(inputs[0], [](double x) { return 1 / (1 + std::exp(-x)); });
}

}  // namespace

Operator const& op_sigmoid() {
  static Operator const op{
      .name = "sigmoid",
      .doc = "1 / (1 + e^-x).",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .infer = infer_float,
      .compute = compute,
      .reference = reference,
      .onnx = "Sigmoid",
      .onnx_attributes = {{"consumed_inputs", 1, 5}},
      .from_onnx = keep_one,
      .random_case = random_one,
  };
  return op;
}

}  // namespace tw
