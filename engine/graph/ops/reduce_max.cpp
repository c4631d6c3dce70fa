#include "engine/graph/shared/reduction.h"

namespace tw::op_reduce_max {
namespace {

using namespace ops;

constexpr Reduction kReduction{
    .combiner = te::Combiner::kMax,
};

}  // namespace

Operator const& row() {
  static Operator const op = reduction_operator<kReduction>({
      .name = "reduce_max",
      .doc = "Largest of the elements along axes.",
      .random_case = random_choice,
  });
  return op;
}

}  // namespace tw::op_reduce_max
