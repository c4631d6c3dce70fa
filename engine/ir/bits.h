/// What the bitwise operators give (see BinaryOp), of integers held in 64 bits: with their sign,
/// or, of unsigned types, with zeros above.
#pragma once

#include "engine/ir/op.h"

namespace tw::ir {

/// The bits of the type's width.
inline uint64_t width_mask(DType type) {
  return size_of(type) >= 8 ? ~uint64_t(0) : (uint64_t(1) << (size_of(type) * 8)) - 1;
}

/// Bits above the type's width are left in: the caller wraps.
inline int64_t shifted_left(int64_t a, int64_t places, DType type) {
  return uint64_t(places) < uint64_t(size_of(type)) * 8 ? int64_t(uint64_t(a) << places) : 0;
}

inline int64_t shifted_right(int64_t a, int64_t places, DType type) {
  bool inside = uint64_t(places) < uint64_t(size_of(type)) * 8;
  if (is_signed(type)) return inside ? a >> places : a < 0 ? -1 : 0;
  return inside ? int64_t(uint64_t(a) >> places) : 0;
}

/// `op` is one that `is_bitwise` knows.
inline int64_t bitwise(BinaryOp op, int64_t a, int64_t b, DType type) {
  if (op == BinaryOp::kBitAnd) return a & b;
  if (op == BinaryOp::kBitOr) return a | b;
  if (op == BinaryOp::kBitXor) return a ^ b;
  return op == BinaryOp::kShiftLeft ? shifted_left(a, b, type) : shifted_right(a, b, type);
}

}  // namespace tw::ir
