#include "engine/graph/shared/indexing.h"
#include "engine/tensor/integers.h"

namespace tw::op_scatter_elements {
namespace {

using namespace ops;

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 3, 3));
  Shape const &into = inputs[0]->shape, &places = inputs[1]->shape;
  TRY_ASSIGN(int64_t axis, normal_axis(integer(attributes, "axis"), into.size()));
  bool fits = places == inputs[2]->shape && places.size() == into.size();
  for (size_t i = 0; fits && i < into.size(); ++i)
    fits = int64_t(i) == axis || places[i] <= into[i];
  return infer_scatter(inputs, fits);
}

/// One update after the other: a later one finds what an earlier one left.
ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  NDArray out = inputs[0].clone();
  Shape const &into = out.shape(), &places = inputs[1].shape();
  TRY_ASSIGN(int64_t axis, normal_axis(integer(attributes, "axis"), into.size()));
  std::string join = text(attributes, "join", "none");
  std::vector<int64_t> strides = row_major_strides(into);
  for (int64_t i = 0; i < inputs[1].size(); ++i) {
    int64_t target = 0, rest = i;
    for (size_t k = places.size(); k-- > 0; rest /= places[k])
      if (int64_t(k) != axis) target += rest % places[k] * strides[k];
    TRY_ASSIGN(int64_t index, checked_index(integer_at(inputs[1], i), into[size_t(axis)]));
    target += index * strides[size_t(axis)];
    update_element(join, out, target, inputs[2], i);
  }
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  size_t rank = size_t(rng.between(1, 4));
  Shape into = random_shape(rng, rank, 4), places = into;
  size_t axis = size_t(rng.below(int64_t(rank)));
  for (size_t i = 0; i < rank; ++i) places[i] = rng.between(1, i == axis ? 6 : into[i]);
  return {
      {{"axis", int64_t(axis) - (rng.below(2) ? int64_t(rank) : 0)}, {"join", random_join(rng)}},
      {random_array(rng, into), random_indices(rng, places, into[axis]),
       random_array(rng, places)}};
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "scatter_elements",
      .doc = "The tensor with elements written at positions along one axis that indices give.",
      .fusion = Fusion::kOpaque,
      .inputs = {"X", "I", "updates"},
      .attributes = {{"axis", "the indexed axis"}, join_attribute()},
      .infer = infer,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_scatter_elements
