#include "engine/graph/shared/reduction.h"

namespace tw {
namespace {

using namespace ops;

constexpr Reduction kReduction{
    .combiner = te::Combiner::kMax,
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

Operator const& op_reduce_max() {
  static Operator const op{
      .name = "reduce_max",
      .doc = "Largest of the elements along axes.",
      .fusion = Fusion::kReduction,
      .inputs = {"X"},
      .attributes = reduction_attributes(),
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .onnx = "ReduceMax",
      .onnx_attributes = {{"axes", 1, 17}, {"keepdims"}, {"noop_with_empty_axes", 18}},
      .from_onnx = convert_reduction,
      .random_case = random_choice,
  };
  return op;
}

}  // namespace tw
