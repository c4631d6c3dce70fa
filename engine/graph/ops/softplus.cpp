#include <cmath>

#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return map_compute(inputs, name, [](ir::Expr x) {
    // max(x, 0) + log(1 + e^-|x|): no exponential overflows.
    ir::Expr small =
        ir::unary(ir::UnaryOp::kExp, ir::unary(ir::UnaryOp::kNeg, ir::unary(ir::UnaryOp::kAbs, x)));
    return ir::max(x, immediate(0, x.type())) + log_of_one_plus(small);
  });
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  return map_elements(inputs[0], [](double x) {
    return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
  });
}

}  // namespace

Operator const& op_softplus() {
  static Operator const op{
      .name = "softplus",
      .doc = "log(1 + e^x).",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .infer = infer_float,
      .compute = compute,
      .reference = reference,
      .onnx = "Softplus",
      .from_onnx = keep_one,
      .random_case = random_one,
  };
  return op;
}

}  // namespace tw
