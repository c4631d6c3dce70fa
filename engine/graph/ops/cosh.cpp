#include <cmath>

#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return map_compute(inputs, name, [](ir::Expr x) {
    return (ir::unary(ir::UnaryOp::kExp, x) +
            ir::unary(ir::UnaryOp::kExp, ir::unary(ir::UnaryOp::kNeg, x))) *
           immediate(0.5, x.type());
  });
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  return map_elements(inputs[0], [](double x) { return std::cosh(x); });
}

}  // namespace

Operator const& op_cosh() {
  static Operator const op{
      .name = "cosh",
      .doc = "Hyperbolic cosine of the element.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .infer = infer_float,
      .compute = compute,
      .reference = reference,
      .onnx = "Cosh",
      .from_onnx = keep_one,
      .random_case = random_one,
  };
  return op;
}

}  // namespace tw
