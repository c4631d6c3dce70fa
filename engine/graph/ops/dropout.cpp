#include "engine/graph/shared/elements.h"
#include "engine/graph/shared/onnx.h"

namespace tw {
namespace {

using namespace ops;

InferResult infer(Attributes const&, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  return one(inputs[0]->type, inputs[0]->shape);
}

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  std::vector<te::Axis> axes = output_axes(shape_of(inputs[0]));
  return single(te::compute(name, axes, ir::load(inputs[0], te::vars(axes)), name));
}

ReferenceResult reference(Attributes const&, Arrays inputs) { return std::vector{inputs[0]}; }

Result<Converted> from_onnx(ForeignContext const& context) {
  if (input_given(context, 2) &&
      (context.constants[2].empty() || context.constants[2].value_at(0) != 0))
    return unsupported("dropout in training mode");
  return keep_inputs(context, 1);
}

RandomCase random_case(Rng& rng) {
  return {{}, {random_array(rng, random_shape(rng, size_t(rng.between(1, 4)), 4))}};
}

}  // namespace

Operator const& op_dropout() {
  static Operator const op{
      .name = "dropout",
      .doc = "The tensor itself: nothing is dropped at inference.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .onnx = "Dropout",
      .from_onnx = from_onnx,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
