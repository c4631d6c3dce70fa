#include <cmath>

#include "engine/graph/shared/inverse_functions.h"
#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_atanh {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression =
        [](ir::Expr x) {
          // (1 + x) / (1 - x) = 1 + 2x / (1 - x)
          ir::Expr size = ir::unary(ir::UnaryOp::kAbs, x), one = immediate(1, x.type());
          ir::Expr value = log_of_one_plus((size + size) / (one - size)) * immediate(0.5, x.type());
          return ir::select(x < immediate(0, x.type()), ir::unary(ir::UnaryOp::kNeg, value), value);
        },
    .number = [](double x) { return std::atanh(x); },
};

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "atanh",
      .doc = "Inverse of the hyperbolic tangent.",
      .random_case = random_sines,
  });
  return op;
}

}  // namespace tw::op_atanh
