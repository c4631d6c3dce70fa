#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return join_compute(inputs, name,
                      [](ir::Expr a, ir::Expr b) { return ir::binary(ir::BinaryOp::kAnd, a, b); });
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  return compare_elements(inputs, [](double a, double b) { return a != 0 && b != 0; });
}

}  // namespace

Operator const& op_and() {
  static Operator const op{
      .name = "and",
      .doc = "Whether both hold, broadcast.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .commutative = true,
      .inputs = {"X", "Z"},
      .infer = infer_logic,
      .compute = compute,
      .reference = reference,
      .onnx = "And",
      .onnx_attributes = {{"axis", 1, 6}, {"broadcast", 1, 6}},
      .from_onnx = keep_two,
      .random_case = random_logic,
  };
  return op;
}

}  // namespace tw
