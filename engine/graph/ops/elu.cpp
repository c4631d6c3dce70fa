#include <cmath>

#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  double alpha = number(attributes, "alpha", 1);
  return map_compute(inputs, name, [=](ir::Expr x) {
    return ir::select(
        x < immediate(0, x.type()),
        (ir::unary(ir::UnaryOp::kExp, x) - immediate(1, x.type())) * immediate(alpha, x.type()), x);
  });
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  double alpha = number(attributes, "alpha", 1);
  return map_elements(inputs[0], [=](double x) { return x < 0 ? alpha * (std::exp(x) - 1) : x; });
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

Operator const& op_elu() {
  static Operator const op{
      .name = "elu",
      .doc = "The element, alpha * (e^x - 1) when it is below zero.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .attributes = {{"alpha", "factor below zero"}},
      .infer = infer_float,
      .compute = compute,
      .reference = reference,
      .onnx = "Elu",
      .onnx_attributes = {{"alpha"}, {"consumed_inputs", 1, 5}},
      .from_onnx = from_onnx,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
