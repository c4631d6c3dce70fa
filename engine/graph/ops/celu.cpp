#include <cmath>

#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  double alpha = number(attributes, "alpha", 1);
  return map_compute(inputs, name, [=](ir::Expr x) {
    ir::Expr power = ir::unary(ir::UnaryOp::kExp, x / immediate(alpha, x.type()));
    return ir::select(x < immediate(0, x.type()),
                      (power - immediate(1, x.type())) * immediate(alpha, x.type()), x);
  });
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  double alpha = number(attributes, "alpha", 1);
  return map_elements(inputs[0],
                      [=](double x) { return x < 0 ? alpha * (std::exp(x / alpha) - 1) : x; });
}

Result<Converted> from_onnx(ForeignContext const& context) {
  return keep_inputs(context, 1, {{"alpha", onnx_number(context.node, "alpha", 1)}});
}

RandomCase random_case(Rng& rng) {
  RandomCase result = random_one(rng);
  result.attributes["alpha"] = rng.uniform() + 0.5;
  return result;
}

}  // namespace

Operator const& op_celu() {
  static Operator const op{
      .name = "celu",
      .doc = "The element, alpha * (e^(x/alpha) - 1) when it is below zero.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .attributes = {{"alpha", "scale below zero"}},
      .infer = infer_float,
      .compute = compute,
      .reference = reference,
      .onnx = "Celu",
      .onnx_attributes = {{"alpha", 12}},
      .from_onnx = from_onnx,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
