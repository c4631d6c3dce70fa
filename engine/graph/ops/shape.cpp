#include <algorithm>

#include "engine/graph/shared/elements.h"

namespace tw::op_shape {
namespace {

using namespace ops;

/// The extents in [start, end), both counted from the end when negative and moved into the shape.
Result<NDArray> extents(Attributes const& attributes, Shape const& shape) {
  int64_t rank = int64_t(shape.size());
  auto place = [&](char const* name, int64_t otherwise) {
    int64_t at = integer(attributes, name, otherwise);
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  int64_t start = place("start", 0), end = std::max(start, place("end", rank));
  TRY_ASSIGN(NDArray out, NDArray::create(DType::kI64, {end - start}));
  std::copy(shape.begin() + start, shape.begin() + end, out.as<int64_t>().begin());
  return out;
}

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  TRY_ASSIGN(NDArray known, extents(attributes, inputs[0]->shape));
  return std::vector{TensorInfo{known.type(), known.shape(), known}};
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  TRY_ASSIGN(NDArray out, extents(attributes, inputs[0].shape()));
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  RandomCase result{{}, {random_array(rng, random_shape(rng, size_t(rng.below(5)), 4))}};
  if (rng.below(2)) result.attributes["start"] = rng.between(-5, 5);
  if (rng.below(2)) result.attributes["end"] = rng.between(-5, 5);
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "shape",
      .doc = "The shape of a tensor; a constant once it is known.",
      .fusion = Fusion::kInjective,
      .inputs = {"X"},
      .attributes = {{"start", "first axis; absent: 0"},
                     {"end", "one past the last axis; absent: all"}},
      .infer = infer,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_shape
