/// What operators on the bits of integers share.
#pragma once

#include "engine/graph/shared/pointwise_operators.h"

namespace tw::ops {

/// Two operands of one integer type, broadcast.
InferResult infer_bits(Attributes const& attributes, Infos inputs);
/// `f` byte by byte, of two broadcast operands.
ReferenceResult join_bytes(Arrays inputs, std::function<uint8_t(uint8_t, uint8_t)> const& f);
/// Two shapes that broadcast, of some integer type, every bit at random.
RandomCase random_bits(Rng& rng);

/// What joins the bits of two integers, bit by bit.
struct BitFunction {
  ir::BinaryOp op = ir::BinaryOp::kBitAnd;
  uint8_t (*byte)(uint8_t a, uint8_t b) = nullptr;
};

template <BitFunction const& kFunction>
Operator bit_operator(Operator op) {
  op.commutative = true;
  op.infer = infer_bits;
  op.random_case = random_bits;
  op.compute = [](Attributes const&, Buffers inputs, std::string const& name) -> Result<Tensors> {
    return join_compute(inputs, name,
                        [](ir::Expr a, ir::Expr b) { return ir::binary(kFunction.op, a, b); });
  };
  op.reference = [](Attributes const&, Arrays inputs) {
    return join_bytes(inputs, kFunction.byte);
  };
  return of_two(std::move(op));
}

}  // namespace tw::ops
