#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return map_compute(inputs, name, [](ir::Expr x) { return ir::max(x, immediate(0, x.type())); });
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  return map_elements(inputs[0], [](double v) { return v < 0 ? 0 : v; });
}

}  // namespace

Operator const& op_relu() {
  static Operator const op{
      .name = "relu",
      .doc = "Larger of the element and zero.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .infer = infer_same,
      .compute = compute,
      .reference = reference,
      .onnx = "Relu",
      .onnx_attributes = {{"consumed_inputs", 1, 5}},
      .from_onnx = keep_one,
      .random_case = random_one,
  };
  return op;
}

}  // namespace tw
