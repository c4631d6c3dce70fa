#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_less {
namespace {

using namespace ops;

constexpr CompareFunction kFunction{
    .expression = [](ir::Expr a, ir::Expr b) { return a < b; },
    .holds = [](double a, double b) { return a < b; },
};

}  // namespace

Operator const& row() {
  static Operator const op = comparison_operator<kFunction>({
      .name = "less",
      .doc = "True where the first element is smaller, broadcast.",
  });
  return op;
}

}  // namespace tw::op_less
