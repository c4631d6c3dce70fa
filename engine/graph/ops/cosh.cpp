#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_cosh {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression =
        [](ir::Expr x) {
          return (ir::unary(ir::UnaryOp::kExp, x) +
                  ir::unary(ir::UnaryOp::kExp, ir::unary(ir::UnaryOp::kNeg, x))) *
                 immediate(0.5, x.type());
        },
    .number = [](double x) { return std::cosh(x); },
};

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "cosh",
      .doc = "Hyperbolic cosine of the element.",
  });
  return op;
}

}  // namespace tw::op_cosh
