#include "engine/graph/shared/reduction.h"
#include "engine/tensor/integers.h"

namespace tw::op_reduce_sum_square {
namespace {

using namespace ops;

constexpr Reduction kReduction{
    .combiner = te::Combiner::kSum,
    .prepare = [](ir::Expr x) { return x * x; },
    .prepare_number = [](double x) { return x * x; },
    .prepare_whole = [](int64_t x, DType) { return wrapped_product(x, x); },
};

}  // namespace

Operator const& row() {
  static Operator const op = reduction_operator<kReduction>({
      .name = "reduce_sum_square",
      .doc = "Sum of the squares along axes.",
  });
  return op;
}

}  // namespace tw::op_reduce_sum_square
