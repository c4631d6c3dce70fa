#include "engine/graph/shared/indexing.h"
#include "engine/tensor/integers.h"

namespace tw::op_scatter_nd {
namespace {

using namespace ops;

InferResult infer(Attributes const&, Infos inputs) {
  TRY(expect_inputs(inputs, 3, 3));
  Shape const &into = inputs[0]->shape, &places = inputs[1]->shape;
  bool fits = !places.empty() && places.back() >= 0 && places.back() <= int64_t(into.size());
  Shape wanted;
  if (fits) {
    wanted.assign(places.begin(), places.end() - 1);
    wanted.insert(wanted.end(), into.begin() + places.back(), into.end());
  }
  return infer_scatter(inputs, fits && wanted == inputs[2]->shape);
}

/// One slice after the other: a later one finds what an earlier one left.
ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  NDArray out = inputs[0].clone();
  Shape const &into = out.shape(), &places = inputs[1].shape();
  std::string join = text(attributes, "join", "none");
  std::vector<int64_t> strides = row_major_strides(into);
  int64_t depth = places.back(), slice = 1;
  for (size_t i = size_t(depth); i < into.size(); ++i) slice *= into[i];
  int64_t rows =
      depth > 0 ? inputs[1].size() / depth : inputs[2].size() / std::max<int64_t>(1, slice);
  for (int64_t row = 0; row < rows; ++row) {
    int64_t target = 0;
    for (int64_t k = 0; k < depth; ++k) {
      TRY_ASSIGN(int64_t index,
                 checked_index(integer_at(inputs[1], row * depth + k), into[size_t(k)]));
      target += index * strides[size_t(k)];
    }
    for (int64_t i = 0; i < slice; ++i)
      update_element(join, out, target + i, inputs[2], row * slice + i);
  }
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  size_t rank = size_t(rng.between(1, 4));
  Shape into = random_shape(rng, rank, 4), places, updates;
  int64_t depth = rng.between(1, int64_t(rank));
  for (int64_t i = rng.below(3); i > 0; --i) places.push_back(rng.between(1, 3));
  updates = places;
  updates.insert(updates.end(), into.begin() + depth, into.end());
  places.push_back(depth);
  NDArray indices = NDArray::create(DType::kI64, places).value();
  for (int64_t i = 0; i < indices.size(); ++i) {
    int64_t extent = into[size_t(i % depth)];
    indices.set_value(i, double(rng.between(-extent, extent - 1)));
  }
  return {{{"join", random_join(rng)}},
          {random_array(rng, into), indices, random_array(rng, updates)}};
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "scatter_nd",
      .doc = "The tensor with slices written at positions that rows of indices give.",
      .fusion = Fusion::kOpaque,
      .inputs = {"X", "I", "updates"},
      .attributes = {join_attribute()},
      .infer = infer,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_scatter_nd
