#include <cmath>

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_ceil {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression = [](ir::Expr x) { return ir::unary(ir::UnaryOp::kCeil, x); },
    .number = [](double x) { return std::ceil(x); },
};

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "ceil",
      .doc = "The element rounded up to an integer.",
  });
  return op;
}

}  // namespace tw::op_ceil
