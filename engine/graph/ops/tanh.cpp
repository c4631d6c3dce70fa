#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_tanh {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression = [](ir::Expr x) { return ir::unary(ir::UnaryOp::kTanh, x); },
    .number = [](double x) { return std::tanh(x); },
};

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "tanh",
      .doc = "Hyperbolic tangent of the element.",
  });
  return op;
}

}  // namespace tw::op_tanh
