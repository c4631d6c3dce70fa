#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_and {
namespace {

using namespace ops;

constexpr CompareFunction kFunction{
    .expression = [](ir::Expr a, ir::Expr b) { return ir::binary(ir::BinaryOp::kAnd, a, b); },
    .holds = [](double a, double b) { return a != 0 && b != 0; },
};

}  // namespace

Operator const& row() {
  static Operator const op = logic_operator<kFunction>({
      .name = "and",
      .doc = "True where both elements are true, broadcast.",
  });
  return op;
}

}  // namespace tw::op_and
