#include <cmath>

#include "engine/graph/shared/reduction.h"
#include "engine/tensor/integers.h"

namespace tw::op_reduce_l1 {
namespace {

using namespace ops;

constexpr Reduction kReduction{
    .combiner = te::Combiner::kSum,
    .prepare = [](ir::Expr x) { return ir::unary(ir::UnaryOp::kAbs, x); },
    .prepare_number = [](double x) { return std::abs(x); },
    .prepare_whole = [](int64_t x,
                        DType type) { return is_below(x, 0, type) ? wrapped_negative(x) : x; },
};

}  // namespace

Operator const& row() {
  static Operator const op = reduction_operator<kReduction>({
      .name = "reduce_l1",
      .doc = "Sum of the absolute values along axes.",
  });
  return op;
}

}  // namespace tw::op_reduce_l1
