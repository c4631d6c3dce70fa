#include "engine/tensor/limits.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/tensor/nearest.h"

namespace tw {
namespace {

template <typename T>
T element(std::span<std::byte const> bytes, int64_t i) {
  T value;
  std::memcpy(&value, bytes.data() + size_t(i) * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
bool is_within(T value, T low, T high) {
  if (low <= value && value <= high) return true;
  if (std::isnan(low)) return std::isnan(value);
  return std::isnan(high);
}

/// Whole blocks first: nearly always all elements are within, and a loop without an exit is fast.
template <typename T>
int64_t first_outside(std::span<std::byte const> values, std::span<std::byte const> low,
                      std::span<std::byte const> high) {
  constexpr int64_t kBlock = 1024;
  auto count = int64_t(values.size() / sizeof(T));
  for (int64_t start = 0; start < count; start += kBlock) {
    int64_t end = std::min(count, start + kBlock);
    bool all = true;
    for (int64_t i = start; i < end; ++i) {
      T value = element<T>(values, i);
      all &= element<T>(low, i) <= value && value <= element<T>(high, i);
    }
    for (int64_t i = start; !all && i < end; ++i)
      if (!is_within(element<T>(values, i), element<T>(low, i), element<T>(high, i))) return i;
  }
  return -1;
}

int64_t first_half_outside(DType type, std::span<std::byte const> values,
                           std::span<std::byte const> low, std::span<std::byte const> high) {
  auto at = [&](std::span<std::byte const> bytes, int64_t i) {
    uint16_t bits = element<uint16_t>(bytes, i);
    return type == DType::kF16 ? half_to_float(bits) : bfloat_to_float(bits);
  };
  for (int64_t i = 0; i < int64_t(values.size() / 2); ++i)
    if (!is_within(at(values, i), at(low, i), at(high, i))) return i;
  return -1;
}

}  // namespace

int64_t first_outside(DType type, std::span<std::byte const> values, std::span<std::byte const> low,
                      std::span<std::byte const> high) {
  if (type == DType::kF32) return first_outside<float>(values, low, high);
  if (type == DType::kF64) return first_outside<double>(values, low, high);
  if (is_float(type)) return first_half_outside(type, values, low, high);
  if (std::memcmp(values.data(), low.data(), values.size()) == 0) return -1;
  auto differs = std::ranges::mismatch(values, low);
  return (differs.in1 - values.begin()) / size_of(type);
}

}  // namespace tw
