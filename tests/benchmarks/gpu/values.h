/// Inputs that are made where they are needed instead of being stored: a pack's references are of
/// the same ones.
#pragma once

#include <cstdint>

namespace tw::gpu_bench {

/// From -1 to 1, with all 24 bits of a float: element `index` of the input with that seed.
inline float seeded_value(uint64_t seed, uint64_t index) {
  uint64_t z = seed * 0xD1342543DE82EF95ull + (index + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  z ^= z >> 31;
  return float(double(z >> 40) * 0x1p-23 - 1);
}

}  // namespace tw::gpu_bench
