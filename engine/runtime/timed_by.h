/// Whose clock a time is of.
#pragma once

#include <cstdint>

namespace tw {

/// As numbers in messages: no one changes.
enum class TimedBy : uint8_t {
  kHost = 0,       ///< of the processor that calls: from before the call until it saw the end
  kDevice = 1,     ///< events of the device's: without the way there and back
  kSimulator = 2,  ///< of a machine that is simulated
};

}  // namespace tw
