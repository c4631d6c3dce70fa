#include <algorithm>

#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  double alpha = number(attributes, "alpha", 0.2);
  double beta = number(attributes, "beta", 0.5);
  return map_compute(inputs, name, [=](ir::Expr x) {
    return ir::min(
        ir::max(x * immediate(alpha, x.type()) + immediate(beta, x.type()), immediate(0, x.type())),
        immediate(1, x.type()));
  });
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  double alpha = number(attributes, "alpha", 0.2);
  double beta = number(attributes, "beta", 0.5);
  return map_elements(inputs[0],
                      [=](double x) { return std::min(std::max(alpha * x + beta, 0.0), 1.0); });
}

Result<Converted> from_onnx(ForeignContext const& context) {
  return keep_inputs(context, 1,
                     {{"alpha", onnx_number(context.node, "alpha", 0.2)},
                      {"beta", onnx_number(context.node, "beta", 0.5)}});
}

RandomCase random_case(Rng& rng) {
  RandomCase result = random_one(rng);
  result.attributes["alpha"] = rng.uniform();
  result.attributes["beta"] = rng.uniform();
  return result;
}

}  // namespace

Operator const& op_hard_sigmoid() {
  static Operator const op{
      .name = "hard_sigmoid",
      .doc = "alpha * x + beta moved into [0, 1].",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .attributes = {{"alpha", "factor of the element"}, {"beta", "what is added to it"}},
      .infer = infer_float,
      .compute = compute,
      .reference = reference,
      .onnx = "HardSigmoid",
      .onnx_attributes = {{"alpha"}, {"beta"}, {"consumed_inputs", 1, 5}},
      .from_onnx = from_onnx,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
