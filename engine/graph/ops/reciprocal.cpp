#include "engine/graph/shared/pointwise_operators.h"

namespace tw::op_reciprocal {
namespace {

using namespace ops;

constexpr ElementFunction kFunction{
    .expression = [](ir::Expr x) { return immediate(1, x.type()) / x; },
    .number = [](double x) { return 1 / x; },
};

}  // namespace

Operator const& row() {
  static Operator const op = element_operator<kFunction>({
      .name = "reciprocal",
      .doc = "One divided by the element.",
      .random_case = random_positive,
  });
  return op;
}

}  // namespace tw::op_reciprocal
