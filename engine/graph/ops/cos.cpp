#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_cos {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression = [](ir::Expr x) { return ir::unary(ir::UnaryOp::kCos, x); },
    .number = [](double x) { return std::cos(x); },
};

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "cos",
      .doc = "Cosine of the element.",
  });
  return op;
}

}  // namespace tw::op_cos
