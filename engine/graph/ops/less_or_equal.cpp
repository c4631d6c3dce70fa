#include "engine/graph/shared/pointwise_operators.h"

namespace tw {
namespace {

using namespace ops;

constexpr CompareFunction kFunction{
    .expression = [](ir::Expr a, ir::Expr b) { return a <= b; },
    .holds = [](double a, double b) { return a <= b; },
};

}  // namespace

Operator const& op_less_or_equal() {
  static Operator const op = comparison_operator<kFunction>({
      .name = "less_or_equal",
      .doc = "True where the first element is smaller or equal, broadcast.",
  });
  return op;
}

}  // namespace tw
