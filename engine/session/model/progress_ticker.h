/// Words about a wait that nothing but the clock can measure: one call to a device.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "engine/support/base/job.h"

namespace tw::session {

/// While it lives, `progress` is told each second, on a thread of its own, how long it has been: 12
/// of 60 seconds, or, where nothing is expected (`seconds` 0) or it took longer, in words alone.
class ProgressTicker {
public:
  ProgressTicker(Progress progress, std::string what, double seconds);
  ~ProgressTicker();
  ProgressTicker(ProgressTicker const&) = delete;
  ProgressTicker& operator=(ProgressTicker const&) = delete;

private:
  Progress progress_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread teller_;  ///< last: it uses the others
};

}  // namespace tw::session
