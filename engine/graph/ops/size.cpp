#include "engine/graph/shared/elements.h"

namespace tw::op_size {
namespace {

using namespace ops;

Result<NDArray> count_of(Shape const& shape) {
  TRY_ASSIGN(int64_t count, element_count(shape));
  TRY_ASSIGN(NDArray out, NDArray::create(DType::kI64, {}));
  out.as<int64_t>()[0] = count;
  return out;
}

InferResult infer(Attributes const&, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  TRY_ASSIGN(NDArray known, count_of(inputs[0]->shape));
  return std::vector{TensorInfo{known.type(), known.shape(), known}};
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  TRY_ASSIGN(NDArray out, count_of(inputs[0].shape()));
  return std::vector{out};
}

RandomCase random_case(Rng& rng) {
  return {{}, {random_array(rng, random_shape(rng, size_t(rng.below(5)), 4))}};
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "size",
      .doc = "The number of elements of a tensor; a constant once its shape is known.",
      .fusion = Fusion::kInjective,
      .inputs = {"X"},
      .infer = infer,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_size
