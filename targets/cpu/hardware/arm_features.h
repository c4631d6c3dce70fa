/// What 64-bit Arm processors may have beyond their base, one row each: detection, the question
/// whether code can run, and targets speak of these.
#pragma once

#include <cstdint>

namespace tw {

struct ArmFeature {
  char const* kernel;  ///< the word in /proc/cpuinfo
  char const* llvm;
  uint8_t word;  ///< of the auxiliary vector: 1 is AT_HWCAP, 2 is AT_HWCAP2
  uint8_t bit;   ///< in that word
};

// Linux, arch/arm64/include/uapi/asm/hwcap.h
inline constexpr ArmFeature kArmFeatures[] = {
    {"asimd", "neon", 1, 1},
    {"asimddp", "dotprod", 1, 20},
    {"asimdhp", "fullfp16", 1, 10},
    {"i8mm", "i8mm", 2, 13},
};

}  // namespace tw
