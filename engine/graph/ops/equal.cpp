#include "engine/graph/shared/pointwise.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return join_compute(inputs, name,
                      [](ir::Expr a, ir::Expr b) { return ir::binary(ir::BinaryOp::kEq, a, b); });
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  return compare_elements(inputs, [](double a, double b) { return a == b; });
}

}  // namespace

Operator const& op_equal() {
  static Operator const op{
      .name = "equal",
      .doc = "Whether two elements are equal, broadcast.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .commutative = true,
      .inputs = {"X", "Z"},
      .infer = infer_compare,
      .compute = compute,
      .reference = reference,
      .onnx = "Equal",
      .onnx_attributes = {{"axis", 1, 6}, {"broadcast", 1, 6}},
      .from_onnx = keep_two,
      .random_case = random_integer_pair,
  };
  return op;
}

}  // namespace tw
