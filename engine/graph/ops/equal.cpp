#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_equal {
namespace {

using namespace ops;

constexpr CompareFunction kFunction{
    .expression = [](ir::Expr a, ir::Expr b) { return ir::binary(ir::BinaryOp::kEq, a, b); },
    .holds = [](double a, double b) { return a == b; },
};

}  // namespace

Operator const& row() {
  static Operator const op = comparison_operator<kFunction>({
      .name = "equal",
      .doc = "True where two elements are equal, broadcast.",
      .commutative = true,
  });
  return op;
}

}  // namespace tw::op_equal
