#include "engine/graph/shared/pointwise_operators.h"
#include "engine/tensor/integers.h"

namespace tw::op_prelu {
namespace {

using namespace ops;

constexpr JoinFunction kFunction{
    .expression = [](ir::Expr a,
                     ir::Expr b) { return ir::select(a < immediate(0, a.type()), a * b, a); },
    .number = [](double a, double b) { return a < 0 ? a * b : a; },
    .whole = [](int64_t a, int64_t b,
                DType type) { return is_below(a, 0, type) ? wrapped_product(a, b) : a; },
};

}  // namespace

Operator const& row() {
  static Operator const op = pair_operator<kFunction>({
      .name = "prelu",
      .doc = "The first element where it is not negative, else times the second; broadcast.",
  });
  return op;
}

}  // namespace tw::op_prelu
