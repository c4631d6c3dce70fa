/// A small seeded generator: the same seed gives the same numbers on every machine.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace tw {

/// SplitMix64 (Steele, Lea, Flood 2014): 64 bits of state, every seed is good.
class Rng {
public:
  explicit Rng(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, count); count > 0. The bias is below 2^-32 for the counts used here.
  int64_t below(int64_t count) { return static_cast<int64_t>(next() % uint64_t(count)); }
  /// Uniform in [low, high], both included.
  int64_t between(int64_t low, int64_t high) { return low + below(high - low + 1); }
  /// Uniform in [0, 1).
  double uniform() { return double(next() >> 11) * 0x1.0p-53; }
  /// Normal with mean 0 and deviation 1 (Box and Muller 1958).
  double normal() {
    double u = 1.0 - uniform(), v = uniform();
    return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
  }

private:
  uint64_t state_;
};

}  // namespace tw
