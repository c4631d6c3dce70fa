#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_sin {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression = [](ir::Expr x) { return ir::unary(ir::UnaryOp::kSin, x); },
    .number = [](double x) { return std::sin(x); },
};

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "sin",
      .doc = "Sine of the element.",
  });
  return op;
}

}  // namespace tw::op_sin
