#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_sinh {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression =
        [](ir::Expr x) {
          // tanh * cosh: the difference of two exponentials loses all digits near 0.
          ir::Expr cosh = (ir::unary(ir::UnaryOp::kExp, x) +
                           ir::unary(ir::UnaryOp::kExp, ir::unary(ir::UnaryOp::kNeg, x))) *
                          immediate(0.5, x.type());
          return ir::unary(ir::UnaryOp::kTanh, x) * cosh;
        },
    .number = [](double x) { return std::sinh(x); },
};

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "sinh",
      .doc = "Hyperbolic sine of the element.",
  });
  return op;
}

}  // namespace tw::op_sinh
