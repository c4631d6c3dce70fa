#include "engine/graph/shared/elements.h"

namespace tw::op_constant {
namespace {

using namespace ops;

InferResult infer(Attributes const& attributes, Infos) {
  NDArray value = tensor(attributes, "value");
  if (value.empty()) return unfit("the constant has no value");
  return std::vector{TensorInfo{value.type(), value.shape(), value}};
}

ReferenceResult reference(Attributes const& attributes, Arrays) {
  return std::vector{tensor(attributes, "value")};
}

RandomCase random_case(Rng& rng) {
  return {{{"value", random_array(rng, random_shape(rng, 2, 4))}}, {}};
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "constant",
      .doc = "A tensor that the model contains; constant folding turns it into a parameter.",
      .fusion = Fusion::kInjective,
      .attributes = {{"value", "the tensor"}},
      .infer = infer,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_constant
