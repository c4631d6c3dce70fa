#include <cmath>

#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  double alpha = number(attributes, "alpha", 1.67326319217681884765625);
  double gamma = number(attributes, "gamma", 1.05070102214813232421875);
  return map_compute(inputs, name, [=](ir::Expr x) {
    ir::Expr below = (ir::unary(ir::UnaryOp::kExp, x) - immediate(1, x.type())) *
                     immediate(alpha * gamma, x.type());
    return ir::select(x < immediate(0, x.type()), below, x * immediate(gamma, x.type()));
  });
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  double alpha = number(attributes, "alpha", 1.67326319217681884765625);
  double gamma = number(attributes, "gamma", 1.05070102214813232421875);
  return map_elements(inputs[0],
                      [=](double x) { return gamma * (x < 0 ? alpha * (std::exp(x) - 1) : x); });
}

Result<Converted> from_onnx(ForeignContext const& context) {
  return keep_inputs(context, 1,
                     {{"alpha", onnx_number(context.node, "alpha", 1.67326319217681884765625)},
                      {"gamma", onnx_number(context.node, "gamma", 1.05070102214813232421875)}});
}

RandomCase random_case(Rng& rng) {
  RandomCase result = random_one(rng);
  result.attributes["alpha"] = rng.uniform();
  result.attributes["gamma"] = rng.uniform() + 0.5;
  return result;
}

}  // namespace

Operator const& op_selu() {
  static Operator const op{
      .name = "selu",
      .doc = "gamma * x, gamma * alpha * (e^x - 1) where x is below zero.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .attributes = {{"alpha", "factor below zero"}, {"gamma", "factor of everything"}},
      .infer = infer_float,
      .compute = compute,
      .reference = reference,
      .onnx = "Selu",
      .onnx_attributes = {{"alpha"}, {"consumed_inputs", 1, 5}, {"gamma"}},
      .from_onnx = from_onnx,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
