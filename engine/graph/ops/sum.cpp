#include "engine/graph/shared/pointwise_operators.h"
#include "engine/tensor/integers.h"

namespace tw::op_sum {
namespace {

using namespace ops;

constexpr JoinFunction kFunction{
    .expression = [](ir::Expr a, ir::Expr b) { return a + b; },
    .number = [](double a, double b) { return a + b; },
    .whole = [](int64_t a, int64_t b, DType) { return wrapped_sum(a, b); },
};

}  // namespace

Operator const& row() {
  static Operator const op = many_operator<kFunction>({
      .name = "sum",
      .doc = "Sum of any number of tensors, broadcast.",
  });
  return op;
}

}  // namespace tw::op_sum
