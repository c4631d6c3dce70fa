/// The tests' machine of blocks and threads as a target: `tests/support/thread_machine.h` says what
/// it has, and its device interprets its threads in turns between barriers.
#pragma once

#include "engine/hardware/hardware.h"

namespace tw::threads {

inline constexpr char kName[] = "threads";
/// What a library begins with.
inline constexpr char kMagic[] = "threads library 1\n";

inline Hardware hardware() {
  return {.target = kName,
          .name = "machine of threads",
          .units = {{.name = "multiprocessor"}},
          .memories = {{.name = "memory", .bytes = 64 << 20, .cache = false}}};
}

}  // namespace tw::threads
