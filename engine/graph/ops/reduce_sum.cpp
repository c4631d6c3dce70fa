#include "engine/graph/shared/reduction.h"

namespace tw {
namespace {

using namespace ops;

constexpr Reduction kReduction{
    .combiner = te::Combiner::kSum,
};

}  // namespace

Operator const& op_reduce_sum() {
  static Operator const op = reduction_operator<kReduction>({
      .name = "reduce_sum",
      .doc = "Sum of the elements along axes.",
  });
  return op;
}

}  // namespace tw
