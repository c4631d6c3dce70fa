#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  double alpha = number(attributes, "alpha", 1);
  return map_compute(inputs, name, [=](ir::Expr x) {
    return ir::select(immediate(alpha, x.type()) < x, x, immediate(0, x.type()));
  });
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  double alpha = number(attributes, "alpha", 1);
  return map_elements(inputs[0], [=](double x) { return x > alpha ? x : 0; });
}

Result<Converted> from_onnx(ForeignContext const& context) {
  return keep_inputs(context, 1, {{"alpha", onnx_number(context.node, "alpha", 1)}});
}

RandomCase random_case(Rng& rng) {
  RandomCase result = random_one(rng);
  result.attributes["alpha"] = rng.uniform();
  return result;
}

}  // namespace

Operator const& op_thresholded_relu() {
  static Operator const op{
      .name = "thresholded_relu",
      .doc = "The element where it is above alpha, else 0.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .attributes = {{"alpha", "the threshold"}},
      .infer = infer_float,
      .compute = compute,
      .reference = reference,
      .onnx = "ThresholdedRelu",
      .onnx_attributes = {{"alpha", 10}},
      .from_onnx = from_onnx,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
