/// Conversions that the text has words for and the tree has not: they become what they mean.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/ir/handles.h"

namespace tw::ir {

/// `x` as an integer type, where what lies outside of its range becomes the nearest end of it.
/// Floats are rounded towards zero, no number (NaN) becomes 0. To u64 only integers are converted.
Expr saturate(DType type, Expr const& x);

/// A narrow integer, of which a byte holds several, the first one in its lowest bits.
struct PackedType {
  std::string_view name;
  int bits;
  int in_a_byte() const { return 8 / bits; }
  DType as;  ///< its values are of this type
};
std::optional<PackedType> packed_type(std::string_view name);  ///< i2, i4, u1, u2, u4

/// The value number `at` of those in a byte, a u8: shifted, masked and, where it has one, with its
/// sign.
Expr unpack(PackedType const& type, Expr const& byte, Expr const& at);

/// A byte, a u8, of as many integers as it has room for, the first one in its lowest bits: of each
/// the lowest bits, so that values of the type come back from `unpack`.
Expr pack(PackedType const& type, std::vector<Expr> const& values);

}  // namespace tw::ir
