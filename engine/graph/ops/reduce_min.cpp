#include "engine/graph/shared/reduction.h"

namespace tw::op_reduce_min {
namespace {

using namespace ops;

constexpr Reduction kReduction{
    .combiner = te::Combiner::kMin,
};

}  // namespace

Operator const& row() {
  static Operator const op = reduction_operator<kReduction>({
      .name = "reduce_min",
      .doc = "Smallest of the elements along axes.",
      .random_case = random_choice,
  });
  return op;
}

}  // namespace tw::op_reduce_min
