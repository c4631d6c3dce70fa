#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return map_compute(inputs, name, [](ir::Expr x) {
    ir::Expr zero = immediate(0, x.type()), one = immediate(1, x.type());
    return ir::select(x < zero, zero - one, ir::select(zero < x, one, zero));
  });
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  return map_elements(inputs[0], [](double x) { return (x > 0) - (x < 0); });
}

}  // namespace

Operator const& op_sign() {
  static Operator const op{
      .name = "sign",
      .doc = "-1, 0 or 1 as the element is below, at or above zero.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .infer = infer_same,
      .compute = compute,
      .reference = reference,
      .onnx = "Sign",
      .from_onnx = keep_one,
      .random_case = random_one,
  };
  return op;
}

}  // namespace tw
