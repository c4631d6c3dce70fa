#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_greater {
namespace {

using namespace ops;

constexpr CompareFunction kFunction{
    .expression = [](ir::Expr a, ir::Expr b) { return b < a; },
    .holds = [](double a, double b) { return a > b; },
};

}  // namespace

Operator const& row() {
  static Operator const op = comparison_operator<kFunction>({
      .name = "greater",
      .doc = "True where the first element is larger, broadcast.",
  });
  return op;
}

}  // namespace tw::op_greater
