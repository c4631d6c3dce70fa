/// How much longer things may take here than on the machine that limits were set on.
#pragma once

#include <algorithm>

#include "engine/runtime/timer.h"
#include "tests/support/sanitized.h"

namespace tw::testing {

/// At least 1: that machine's probe gives about 2.4, slower ones get more time, in proportion. The
/// probe is a loop that sanitizers hardly touch.
inline double slowness() {
  return (kSanitized ? 20 : 1) * std::max(1.0, 2.4 / std::max(probe_speed(), 0.1));
}

}  // namespace tw::testing
