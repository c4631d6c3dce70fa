#include "engine/graph/shared/elements.h"

namespace tw::op_non_zero {
namespace {

using namespace ops;

int64_t count_of(NDArray const& x) {
  int64_t count = 0;
  for (int64_t i = 0; i < x.size(); ++i) count += x.value_at(i) != 0;
  return count;
}

/// A single number has one place, of no dimension, or none.
InferResult infer(Attributes const&, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  if (inputs[0]->constant.empty())
    return unsupported("the number of nonzero elements is not known");
  return one(DType::kI64, {int64_t(inputs[0]->shape.size()), count_of(inputs[0]->constant)});
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  NDArray const& x = inputs[0];
  int64_t count = count_of(x), column = 0;
  TRY_ASSIGN(NDArray out, NDArray::create(DType::kI64, {int64_t(x.shape().size()), count}));
  for (int64_t i = 0; i < x.size(); ++i) {
    if (x.value_at(i) == 0) continue;
    int64_t rest = i;
    for (size_t k = x.shape().size(); k-- > 0; rest /= x.shape()[k])
      out.set_value(int64_t(k) * count + column, double(rest % x.shape()[k]));
    ++column;
  }
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  RandomCase result{{}, {random_array(rng, random_shape(rng, size_t(rng.between(1, 4)), 4))}};
  for (int64_t i = 0; i < result.inputs[0].size(); ++i)
    if (rng.below(2)) result.inputs[0].set_value(i, 0);
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "non_zero",
      .doc = "The indices of the nonzero elements, one column for each.",
      .fusion = Fusion::kOpaque,
      .inputs = {"X"},
      .infer = infer,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_non_zero
