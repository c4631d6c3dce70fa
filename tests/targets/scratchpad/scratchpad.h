/// A made-up machine that shows what a target is: it computes only in a scratchpad of its own,
/// which copies fill and empty. It is the second row of the tests' table of targets.
#pragma once

#include <cstdint>

namespace tw::scratchpad {

inline constexpr char kName[] = "scratchpad";
inline constexpr char kPad[] = "pad";           ///< the memory scope that it computes in
inline constexpr int64_t kPadBytes = 16 << 10;  ///< of one instance
/// What a library begins with; then, for each kernel, "kernel SYMBOL INPUTS BYTES" and its program.
inline constexpr char kMagic[] = "scratchpad library 1\n";

}  // namespace tw::scratchpad
