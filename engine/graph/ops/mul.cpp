#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return join_compute(inputs, name, [](ir::Expr a, ir::Expr b) { return a * b; });
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  return join_elements(inputs, [](double a, double b) { return a * b; });
}

}  // namespace

Operator const& op_mul() {
  static Operator const op{
      .name = "mul",
      .doc = "Product of two tensors, element by element, broadcast.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .commutative = true,
      .inputs = {"X", "Z"},
      .infer = infer_pair,
      .compute = compute,
      .reference = reference,
      .onnx = "Mul",
      .onnx_attributes = {{"axis", 1, 6}, {"broadcast", 1, 6}, {"consumed_inputs", 1, 5}},
      .from_onnx = keep_two,
      .random_case = random_pair,
  };
  return op;
}

}  // namespace tw
