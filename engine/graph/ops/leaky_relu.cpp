#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  double alpha = number(attributes, "alpha", 0.01);
  return map_compute(inputs, name, [=](ir::Expr x) {
    return ir::select(x < immediate(0, x.type()), x * immediate(alpha, x.type()), x);
  });
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  double alpha = number(attributes, "alpha", 0.01);
  return map_elements(inputs[0], [=](double x) { return x < 0 ? alpha * x : x; });
}

Result<Converted> from_onnx(ForeignContext const& context) {
  return keep_inputs(context, 1, {{"alpha", onnx_number(context.node, "alpha", 0.01)}});
}

RandomCase random_case(Rng& rng) {
  RandomCase result = random_one(rng);
  result.attributes["alpha"] = rng.uniform();
  return result;
}

}  // namespace

Operator const& op_leaky_relu() {
  static Operator const op{
      .name = "leaky_relu",
      .doc = "The element, times alpha when it is below zero.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .attributes = {{"alpha", "factor below zero"}},
      .infer = infer_float,
      .compute = compute,
      .reference = reference,
      .onnx = "LeakyRelu",
      .onnx_attributes = {{"alpha"}, {"consumed_inputs", 1, 5}},
      .from_onnx = from_onnx,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
