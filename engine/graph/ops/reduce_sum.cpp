#include "engine/graph/shared/reduction.h"

namespace tw::op_reduce_sum {
namespace {

using namespace ops;

constexpr Reduction kReduction{
    .combiner = te::Combiner::kSum,
};

}  // namespace

Operator const& row() {
  static Operator const op = reduction_operator<kReduction>({
      .name = "reduce_sum",
      .doc = "Sum of the elements along axes.",
  });
  return op;
}

}  // namespace tw::op_reduce_sum
