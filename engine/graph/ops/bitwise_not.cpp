#include "engine/graph/shared/bitwise.h"

namespace tw::op_bitwise_not {
namespace {

using namespace ops;

InferResult infer(Attributes const& attributes, Infos inputs) {
  TRY(expect_inputs(inputs, 1, 1));
  if (!is_integer(inputs[0]->type)) return unfit("the operand is not a tensor of integers");
  return infer_same(attributes, inputs);
}

Result<Tensors> compute(Attributes const&, Buffers inputs, std::string const& name) {
  return map_compute(inputs, name, [](ir::Expr x) { return ir::unary(ir::UnaryOp::kBitNot, x); });
}

ReferenceResult reference(Attributes const&, Arrays inputs) {
  NDArray const both[] = {inputs[0], inputs[0]};
  return join_bytes(both, [](uint8_t a, uint8_t) { return uint8_t(~a); });
}

RandomCase random_case(Rng& rng) {
  RandomCase result = random_bits(rng);
  result.inputs.resize(1);
  return result;
}

}  // namespace

Operator const& row() {
  static Operator const op{
      .name = "bitwise_not",
      .doc = "Bitwise complement of an integer.",
      .fusion = Fusion::kInjective,
      .elementwise = true,
      .inputs = {"X"},
      .infer = infer,
      .compute = compute,
      .reference = reference,
      .random_case = random_case,
  };
  return op;
}

}  // namespace tw::op_bitwise_not
