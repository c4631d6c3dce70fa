#include "engine/graph/shared/reduction.h"

namespace tw::op_reduce_mean {
namespace {

using namespace ops;

constexpr Reduction kReduction{
    .combiner = te::Combiner::kSum,
    .finish = [](ir::Expr x, int64_t count) { return x / immediate(double(count), x.type()); },
    .finish_number = [](double x, int64_t count) { return x / double(count); },
    .floats_only = true,
};

}  // namespace

Operator const& row() {
  static Operator const op = reduction_operator<kReduction>({
      .name = "reduce_mean",
      .doc = "Mean of the elements along axes.",
  });
  return op;
}

}  // namespace tw::op_reduce_mean
