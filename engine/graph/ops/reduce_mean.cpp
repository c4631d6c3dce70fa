#include "engine/graph/shared/reduction.h"

namespace tw {
namespace {

using namespace ops;

constexpr Reduction kReduction{
    .combiner = te::Combiner::kSum,
    .finish = [](ir::Expr x, int64_t count) { return x / immediate(double(count), x.type()); },
    .finish_number = [](double x, int64_t count) { return x / double(count); },
    .floats_only = true,
};

}  // namespace

Operator const& op_reduce_mean() {
  static Operator const op = reduction_operator<kReduction>({
      .name = "reduce_mean",
      .doc = "Mean of the elements along axes.",
  });
  return op;
}

}  // namespace tw
