#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_exp {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression = [](ir::Expr x) { return ir::unary(ir::UnaryOp::kExp, x); },
    .number = [](double x) { return std::exp(x); },
};

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "exp",
      .doc = "e to the power of the element.",
  });
  return op;
}

}  // namespace tw::op_exp
