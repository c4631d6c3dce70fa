#include <cmath>

#include "engine/graph/shared/reduction.h"

namespace tw::op_reduce_l2 {
namespace {

using namespace ops;

constexpr Reduction kReduction{
    .combiner = te::Combiner::kSum,
    .prepare = [](ir::Expr x) { return x * x; },
    .finish = [](ir::Expr x, int64_t) { return ir::unary(ir::UnaryOp::kSqrt, x); },
    .prepare_number = [](double x) { return x * x; },
    .finish_number = [](double x, int64_t) { return std::sqrt(x); },
    .floats_only = true,
};

}  // namespace

Operator const& row() {
  static Operator const op = reduction_operator<kReduction>({
      .name = "reduce_l2",
      .doc = "Root of the sum of squares along axes.",
  });
  return op;
}

}  // namespace tw::op_reduce_l2
