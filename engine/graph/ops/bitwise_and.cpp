#include "engine/graph/shared/bitwise.h"

namespace tw::op_bitwise_and {
namespace {

using namespace ops;

constexpr BitFunction kFunction{
    .op = ir::BinaryOp::kBitAnd,
    .byte = [](uint8_t a, uint8_t b) { return uint8_t(a & b); },
};

}  // namespace

Operator const& row() {
  static Operator const op = bit_operator<kFunction>({
      .name = "bitwise_and",
      .doc = "Bitwise and of two integers.",
  });
  return op;
}

}  // namespace tw::op_bitwise_and
