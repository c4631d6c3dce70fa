#include "engine/tensor/integers.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace tw {
int64_t whole_number(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 0x1p63) return std::numeric_limits<int64_t>::max();
  return value < -0x1p63 ? std::numeric_limits<int64_t>::min() : int64_t(value);
}

int64_t integer_at(NDArray const& array, int64_t index) {
  if (array.type() == DType::kI64) return array.as<int64_t>()[size_t(index)];
  if (array.type() == DType::kU64) return int64_t(array.as<uint64_t>()[size_t(index)]);
  double value = array.value_at(index);  // holds 32 bits
  return is_float(array.type()) ? whole_number(value) : int64_t(value);
}

void set_integer(NDArray& array, int64_t index, int64_t value) {
  DType type = array.type();
  if (!is_integer(type))
    return array.set_value(index, type == DType::kBool ? value != 0 : double(value));
  // The lowest bytes, which stand first.
  auto bytes = size_t(size_of(type));
  std::memcpy(static_cast<char*>(array.data()) + size_t(index) * bytes, &value, bytes);
}

void copy_element(NDArray& to, int64_t index, NDArray const& from, int64_t from_index) {
  auto bytes = size_t(size_of(to.type()));
  std::memcpy(static_cast<char*>(to.data()) + size_t(index) * bytes,
              static_cast<char const*>(from.data()) + size_t(from_index) * bytes, bytes);
}

bool is_below(int64_t a, int64_t b, DType type) {
  return type == DType::kU64 ? uint64_t(a) < uint64_t(b) : a < b;
}

int64_t lowest_integer(DType type) {
  return is_signed(type) ? std::numeric_limits<int64_t>::min() >> (64 - size_of(type) * 8) : 0;
}

int64_t highest_integer(DType type) {
  if (type == DType::kBool) return 1;
  int64_t bits = size_of(type) * 8 - (is_signed(type) ? 1 : 0);
  return bits == 64 ? -1 : int64_t((uint64_t(1) << bits) - 1);
}

}  // namespace tw
