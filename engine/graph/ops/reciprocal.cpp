#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return map_compute(inputs, name, [](ir::Expr x) { return immediate(1, x.type()) / x; });
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  return map_elements(inputs[0], [](double x) { return 1 / x; });
}

}  // namespace

Operator const& op_reciprocal() {
  static Operator const op{
      .name = "reciprocal",
      .doc = "One divided by the element.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .infer = infer_float,
      .compute = compute,
      .reference = reference,
      .onnx = "Reciprocal",
      .onnx_attributes = {{"consumed_inputs", 1, 5}},
      .from_onnx = keep_one,
      .random_case = random_positive,
  };
  return op;
}

}  // namespace tw
