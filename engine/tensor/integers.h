/// Elements of tensors as whole numbers of 64 bits: doubles hold 53.
#pragma once

#include "engine/tensor/ndarray.h"

namespace tw {

/// Without its fraction; what is too large becomes the nearest end of i64, NaN becomes 0: as
/// compiled code converts.
int64_t whole_number(double value);
/// An element as an integer; of u64 the same bits, of a float its whole number.
int64_t integer_at(NDArray const& array, int64_t index);
/// Wraps to the type's width; a bool is whether it is not 0.
void set_integer(NDArray& array, int64_t index, int64_t value);
/// Both of one type.
void copy_element(NDArray& to, int64_t index, NDArray const& from, int64_t from_index);

/// Arithmetic of 64 bits, which wraps.
inline int64_t wrapped_sum(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }
inline int64_t wrapped_difference(int64_t a, int64_t b) {
  return int64_t(uint64_t(a) - uint64_t(b));
}
inline int64_t wrapped_product(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }
inline int64_t wrapped_negative(int64_t a) { return wrapped_difference(0, a); }
/// Rounded down; b is not 0. The least number by -1 is itself, as a negation wraps.
inline int64_t floor_quotient(int64_t a, int64_t b) {
  if (b == -1) return wrapped_negative(a);
  int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

/// Whether one integer of the type is below another: of u64 by its bits.
bool is_below(int64_t a, int64_t b, DType type);
/// The ends of an integer type, or of bool; of u64 as the same bits.
int64_t lowest_integer(DType type);
int64_t highest_integer(DType type);

}  // namespace tw
