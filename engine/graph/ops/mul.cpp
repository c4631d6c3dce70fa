#include "engine/graph/shared/pointwise_operators.h"
#include "engine/tensor/integers.h"

namespace tw::op_mul {
namespace {

using namespace ops;

constexpr JoinFunction kFunction{
    .expression = [](ir::Expr a, ir::Expr b) { return a * b; },
    .number = [](double a, double b) { return a * b; },
    .whole = [](int64_t a, int64_t b, DType) { return wrapped_product(a, b); },
};

}  // namespace

Operator const& row() {
  static Operator const op = pair_operator<kFunction>({
      .name = "mul",
      .doc = "Product of two tensors, element by element, broadcast.",
      .commutative = true,
  });
  return op;
}

}  // namespace tw::op_mul
