#include "engine/graph/shared/reduction.h"

namespace tw {
namespace {

using namespace ops;

constexpr Reduction kReduction{
    .combiner = te::Combiner::kSum,
};

InferResult infer(Attributes const& attributes, Infos inputs) {
  return infer_reduction(kReduction, attributes, inputs);
}

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  return compute_reduction(kReduction, attributes, inputs, name);
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  return reference_reduction(kReduction, attributes, inputs);
}

}  // namespace

Operator const& op_reduce_sum() {
  static Operator const op{
      .name = "reduce_sum",
      .doc = "Sum of the elements along axes.",
      .fusion = Fusion::kReduction,
      .inputs = {"X"},
      .attributes = reduction_attributes(),
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .onnx = "ReduceSum",
      .onnx_attributes = {{"axes", 1, 12}, {"keepdims"}, {"noop_with_empty_axes", 13}},
      .from_onnx = convert_reduction,
      .random_case = random_reduction,
  };
  return op;
}

}  // namespace tw
