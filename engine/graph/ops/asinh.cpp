#include <cmath>
#include <numbers>

#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return map_compute(inputs, name, [](ir::Expr x) {
    // By the absolute value: x + sqrt(x^2 + 1) loses all digits far below zero. Near it
    // x + sqrt(x^2 + 1) = 1 + (x + x^2 / (1 + sqrt(x^2 + 1))); far away the square overflows.
    constexpr double kFar = 1e8;
    ir::Expr size = ir::unary(ir::UnaryOp::kAbs, x), one = immediate(1, x.type());
    ir::Expr square = size * size;
    ir::Expr near =
        log_of_one_plus(size + square / (one + ir::unary(ir::UnaryOp::kSqrt, square + one)));
    ir::Expr far = ir::unary(ir::UnaryOp::kLog, size) + immediate(std::numbers::ln2, x.type());
    ir::Expr value = ir::select(size < immediate(kFar, x.type()), near, far);
    return ir::select(x < immediate(0, x.type()), ir::unary(ir::UnaryOp::kNeg, value), value);
  });
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  return map_elements(inputs[0], [](double x) { return std::asinh(x); });
}

}  // namespace

Operator const& op_asinh() {
  static Operator const op{
      .name = "asinh",
      .doc = "Inverse of the hyperbolic sine.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .infer = infer_float,
      .compute = compute,
      .reference = reference,
      .onnx = "Asinh",
      .from_onnx = keep_one,
      .random_case = random_one,
  };
  return op;
}

}  // namespace tw
