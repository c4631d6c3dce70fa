#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const& attributes, Buffers inputs, std::string const& name) {
  double lambd = number(attributes, "lambd", 0.5);
  double bias = number(attributes, "bias", 0);
  return map_compute(inputs, name, [=](ir::Expr x) {
    ir::Expr by = immediate(bias, x.type());
    return ir::select(x < immediate(-lambd, x.type()), x + by,
                      ir::select(immediate(lambd, x.type()) < x, x - by, immediate(0, x.type())));
  });
}

ReferenceResult reference(Attributes const& attributes, Arrays inputs) {
  double lambd = number(attributes, "lambd", 0.5);
  double bias = number(attributes, "bias", 0);
  return map_elements(inputs[0], [=](double x) {
    return x < -lambd ? x + bias : x > lambd ? x - bias : 0;
  });
}

Result<Converted> from_onnx(ForeignContext const& context) {
  return keep_inputs(context, 1,
                     {{"lambd", onnx_number(context.node, "lambd", 0.5)},
                      {"bias", onnx_number(context.node, "bias", 0)}});
}

RandomCase random_case(Rng& rng) {
  RandomCase result = random_one(rng);
  result.attributes["lambd"] = rng.uniform();
  result.attributes["bias"] = rng.uniform();
  return result;
}

}  // namespace

Operator const& op_shrink() {
  static Operator const op{
      .name = "shrink",
      .doc = "0 between -lambd and lambd, else the element moved towards 0 by bias.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .attributes = {{"lambd", "half the width of the gap"}, {"bias", "how far the rest moves"}},
      .infer = infer_float,
      .compute = compute,
      .reference = reference,
      .onnx = "Shrink",
      .onnx_attributes = {{"bias", 9}, {"lambd", 9}},
      .from_onnx = from_onnx,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw
