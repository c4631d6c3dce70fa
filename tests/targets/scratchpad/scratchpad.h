/// A made-up machine that shows what a target is: it computes only in a scratchpad of its own,
/// which copies fill and empty; its matrix unit takes operands from two more, which nothing else
/// reaches. It is the second row of the tests' table of targets.
#pragma once

#include <cstdint>

#include "engine/hardware/hardware.h"
#include "engine/ir/sharing.h"

namespace tw::scratchpad {

inline constexpr char kName[] = "scratchpad";
inline constexpr char kPad[] = "pad";              ///< where it computes, and adds up products
inline constexpr char kInputs[] = "inputs";        ///< what the matrix unit multiplies
inline constexpr char kWeights[] = "weights";      ///< by what
inline constexpr int64_t kPadBytes = 16 << 10;     ///< of one instance
inline constexpr int64_t kOperandBytes = 4 << 10;  ///< of each of the unit's two memories
inline constexpr char kTurns[] = "vthread";        ///< virtual threads: its only axis
/// What a library begins with; then, for each kernel, "kernel SYMBOL INPUTS BYTES" and its program.
inline constexpr char kMagic[] = "scratchpad library 1\n";

inline Hardware hardware() {
  return {.target = kName,
          .name = "scratchpad machine",
          .units = {{.name = "unit"}},
          .memories = {{.name = "memory", .bytes = 64 << 20, .cache = false}}};
}

/// As its target says it: for who interprets its code.
inline ir::Sharing sharing() {
  ir::Sharing sharing;
  sharing.axes[kTurns] = Level::kThread;
  sharing.interleaved.insert(kTurns);
  for (char const* memory : {kPad, kInputs, kWeights}) sharing.scopes[memory] = Level::kAccelerator;
  return sharing;
}

}  // namespace tw::scratchpad
