#include <cmath>
#include <numbers>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_asinh {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression =
        [](ir::Expr x) {
          // By the absolute value: x + sqrt(x^2 + 1) loses all digits far below zero. Near it
          // x + sqrt(x^2 + 1) = 1 + (x + x^2 / (1 + sqrt(x^2 + 1))); far away the square overflows.
          constexpr double kFar = 1e8;
          ir::Expr size = ir::unary(ir::UnaryOp::kAbs, x), one = immediate(1, x.type());
          ir::Expr square = size * size;
          ir::Expr near =
              log_of_one_plus(size + square / (one + ir::unary(ir::UnaryOp::kSqrt, square + one)));
          ir::Expr far =
              ir::unary(ir::UnaryOp::kLog, size) + immediate(std::numbers::ln2, x.type());
          ir::Expr value = ir::select(size < immediate(kFar, x.type()), near, far);
          return ir::select(x < immediate(0, x.type()), ir::unary(ir::UnaryOp::kNeg, value), value);
        },
    .number = [](double x) { return std::asinh(x); },
};

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "asinh",
      .doc = "Inverse of the hyperbolic sine.",
  });
  return op;
}

}  // namespace tw::op_asinh
