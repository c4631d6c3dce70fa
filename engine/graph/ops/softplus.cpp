#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_softplus {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression =
        [](ir::Expr x) {
          // max(x, 0) + log(1 + e^-|x|): no exponential overflows.
          ir::Expr small = ir::unary(ir::UnaryOp::kExp,
                                     ir::unary(ir::UnaryOp::kNeg, ir::unary(ir::UnaryOp::kAbs, x)));
          return ir::max(x, immediate(0, x.type())) + log_of_one_plus(small);
        },
    .number =
        [](double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); },
};

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "softplus",
      .doc = "log(1 + e^x).",
  });
  return op;
}

}  // namespace tw::op_softplus
