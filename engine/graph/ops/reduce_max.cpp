#include "engine/graph/shared/reduction.h"

namespace tw {
namespace {

using namespace ops;

constexpr Reduction kReduction{
    .combiner = te::Combiner::kMax,
};

}  // namespace

Operator const& op_reduce_max() {
  static Operator const op = reduction_operator<kReduction>({
      .name = "reduce_max",
      .doc = "Largest of the elements along axes.",
      .random_case = random_choice,
  });
  return op;
}

}  // namespace tw
