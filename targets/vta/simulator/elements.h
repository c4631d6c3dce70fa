/// Values of a memory as the bits that lie in DRAM: little-endian, the first value in the least
/// bits, those of less than eight bits several to a byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace tw::vta {

/// `bytes` of a little-endian word of 1 to 8 bytes.
inline uint64_t read_bits(std::span<std::byte const> from, size_t at, size_t bytes) {
  uint64_t word = 0;
  for (size_t i = 0; i < bytes; ++i) word |= uint64_t(from[at + i]) << 8 * i;
  return word;
}
inline void write_bits(std::span<std::byte> to, size_t at, size_t bytes, uint64_t word) {
  for (size_t i = 0; i < bytes; ++i) to[at + i] = std::byte(word >> 8 * i);
}

/// Signed values of `bits` each (2, 4, 8, 16 or 32) out of bytes; `to` may be wider than they are.
template <typename T>
void unpack(std::span<std::byte const> from, int bits, std::span<T> to) {
  if constexpr (sizeof(T) == 1)
    if (bits == 8) {
      std::memcpy(to.data(), from.data(), to.size());
      return;
    }
  if (bits == 8) {
    for (size_t i = 0; i < to.size(); ++i) to[i] = T(int8_t(from[i]));
    return;
  }
  for (size_t i = 0; i < to.size(); ++i) {
    size_t bit = i * size_t(bits);
    auto word = uint32_t(read_bits(from, bit / 8, size_t(bits + 7) / 8) >> bit % 8);
    to[i] = T(int32_t(word << (32 - bits)) >> (32 - bits));
  }
}

/// The other way: low bits of each value. All bits of `to` that values have are written.
template <typename T>
void pack(std::span<T const> from, int bits, std::span<std::byte> to) {
  if constexpr (sizeof(T) == 1)
    if (bits == 8) {
      std::memcpy(to.data(), from.data(), from.size());
      return;
    }
  if (bits >= 8) {
    for (size_t i = 0; i < from.size(); ++i)
      write_bits(to, i * size_t(bits / 8), size_t(bits / 8), uint64_t(int64_t(from[i])));
    return;
  }
  std::memset(to.data(), 0, from.size() * size_t(bits) / 8);
  for (size_t i = 0; i < from.size(); ++i) {
    size_t bit = i * size_t(bits);
    uint32_t value = uint32_t(from[i]) & ((1u << bits) - 1);
    to[bit / 8] |= std::byte(value << bit % 8);
  }
}
template <typename Values>
void pack(Values const& from, int bits, std::span<std::byte> to) {
  pack(std::span<typename Values::value_type const>(from), bits, to);
}

}  // namespace tw::vta
