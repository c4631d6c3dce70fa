#include <cmath>

#include "engine/graph/shared/reduction.h"

namespace tw::op_reduce_log_sum {
namespace {

using namespace ops;

constexpr Reduction kReduction{
    .combiner = te::Combiner::kSum,
    .finish = [](ir::Expr x, int64_t) { return ir::unary(ir::UnaryOp::kLog, x); },
    .finish_number = [](double x, int64_t) { return std::log(x); },
    .floats_only = true,
};

/// Positive elements: a logarithm of less than 0 is no number.
RandomCase random_case(Rng& rng) {
  RandomCase result = random_reduction(rng);
  NDArray& x = result.inputs[0];
  for (int64_t i = 0; i < x.size(); ++i) x.set_value(i, std::abs(x.value_at(i)) + 0.01);
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op = reduction_operator<kReduction>({
      .name = "reduce_log_sum",
      .doc = "Logarithm of the sum along axes.",
      .random_case = random_case,
  });
  return op;
}

}  // namespace tw::op_reduce_log_sum
