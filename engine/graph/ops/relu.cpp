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
  ir::Expr body = ir::max(ir::load(inputs[0], te::vars(axes)), immediate(0, inputs[0]->type));
  return single(te::compute(name, axes, body, name));
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  return map_elements(inputs[0], [](double v) { return v < 0 ? 0 : v; });
}

Result<Converted> from_onnx(ForeignContext const& context) { return keep_inputs(context, 1); }

RandomCase random_case(Rng& rng) {
  return {{}, {random_array(rng, random_shape(rng, size_t(rng.between(1, 5)), 4))}};
}

}  // namespace

Operator const& op_relu() {
  static Operator const op{
      .name = "relu",
      .doc = "Larger of the element and zero.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .onnx = "Relu",
      .from_onnx = from_onnx,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
