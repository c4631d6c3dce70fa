#include "engine/graph/shared/extreme_index.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  return compute_extreme(false, attributes, inputs, name);
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  return reference_extreme(false, attributes, inputs);
}

}  // namespace

Operator const& op_arg_min() {
  static Operator const op{
      .name = "arg_min",
      .doc = "Index of the smallest element along an axis.",
      .fusion = Fusion::kOpaque,
      .inputs = {"X"},
      .attributes = extreme_attributes(),
      .infer = infer_extreme,
      .compute = compute,
      .reference = reference,
      .onnx = "ArgMin",
      .onnx_attributes = {{"axis"}, {"keepdims"}, {"select_last_index", 12}},
      .from_onnx = convert_extreme,
      .random_case = random_extreme,
  };
  return op;
}

}  // namespace tw
