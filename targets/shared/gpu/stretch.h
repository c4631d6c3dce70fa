/// What a thread waits for in some of its statements.
#pragma once

#include <algorithm>

#include "targets/shared/gpu/launch_nest.h"

namespace tw::gpu {

/// What follows on a barrier waits by itself; loads before it are under way together.
struct Stretch {
  Waits before;      ///< of what ended with a barrier or is a loop
  double loads = 0;  ///< of main memory, side by side
  Waits rest;

  Waits sum() const {
    return {before.main + loads + rest.main, before.shared + rest.shared,
            before.cycles + rest.cycles};
  }

  /// `ends`: what comes now is a barrier, or waits for copies.
  void append(Stretch const& next, bool ends) {
    loads = std::max(loads, next.loads);
    if (ends) {
      *this = {.before = sum(), .rest = {}};
      return;
    }
    before.main += next.before.main;
    before.shared += next.before.shared;
    before.cycles += next.before.cycles;
    rest.shared += next.rest.shared;
    rest.cycles += next.rest.cycles;
  }
};

}  // namespace tw::gpu
