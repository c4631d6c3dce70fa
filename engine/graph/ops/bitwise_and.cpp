#include "engine/graph/shared/bitwise.h"

namespace tw {
namespace {

using namespace ops;

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return join_compute(
      inputs, name, [](ir::Expr a, ir::Expr b) { return ir::binary(ir::BinaryOp::kBitAnd, a, b); });
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  return join_bytes(inputs, [](uint8_t a, uint8_t b) { return uint8_t(a & b); });
}

}  // namespace

Operator const& op_bitwise_and() {
  static Operator const op{
      .name = "bitwise_and",
      .doc = "The bits that two integers both have.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .commutative = true,
      .inputs = {"X", "Z"},
      .infer = infer_bits,
      .compute = compute,
      .reference = reference,
      .onnx = "BitwiseAnd",
      .from_onnx = keep_two,
      .random_case = random_bits,
  };
  return op;
}

}  // namespace tw
