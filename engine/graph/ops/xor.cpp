#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_xor {
namespace {

using namespace ops;

constexpr CompareFunction kFunction{
    .expression = [](ir::Expr a, ir::Expr b) { return ir::binary(ir::BinaryOp::kNe, a, b); },
    .holds = [](double a, double b) { return (a != 0) != (b != 0); },
};

}  // namespace

Operator const& row() {
  static Operator const op = logic_operator<kFunction>({
      .name = "xor",
      .doc = "True where exactly one of two elements is true, broadcast.",
  });
  return op;
}

}  // namespace tw::op_xor
