#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_sqrt {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression = [](ir::Expr x) { return ir::unary(ir::UnaryOp::kSqrt, x); },
    .number = [](double x) { return std::sqrt(x); },
};

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "sqrt",
      .doc = "Square root of the element.",
      .random_case = random_positive,
  });
  return op;
}

}  // namespace tw::op_sqrt
