#include "engine/session/model/progress_ticker.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

namespace tw::session {

ProgressTicker::ProgressTicker(Progress progress, std::string what, double seconds)
    : progress_(std::move(progress)) {
  if (!progress_) return;
  auto expected = int64_t(std::ceil(seconds));
  teller_ = std::jthread([this, what = std::move(what), expected](StopToken end) {
    std::unique_lock lock(mutex_);
    for (int64_t elapsed = 1;; ++elapsed) {
      if (wake_.wait_for(lock, end, std::chrono::seconds(1), [&] { return end.stop_requested(); }))
        return;
      if (elapsed <= expected)
        progress_({what + ", in seconds", elapsed, expected});
      else
        progress_({fmt::format("{}: {} s so far", what, elapsed), 0, 0});
    }
  });
}

ProgressTicker::~ProgressTicker() = default;

}  // namespace tw::session
