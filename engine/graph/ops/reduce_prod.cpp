#include "engine/graph/shared/reduction.h"

namespace tw::op_reduce_prod {
namespace {

using namespace ops;

constexpr Reduction kReduction{
    .combiner = te::Combiner::kProd,
};

}  // namespace

Operator const& row() {
  static Operator const op = reduction_operator<kReduction>({
      .name = "reduce_prod",
      .doc = "Product of the elements along axes.",
  });
  return op;
}

}  // namespace tw::op_reduce_prod
