/// Devices that do not answer, or have slowed down: whom a search waits for, and for how long.
#include <algorithm>
#include <thread>

#include "engine/compile/kernel_code.h"
#include "engine/tuner/tuning.h"

namespace tw {

bool Tuning::someone_else_works(size_t device) const {
  for (size_t other = 0; other < runners_.size(); ++other)
    if (other != device && result_.devices[other].reason.empty()) return true;
  return false;
}

/// Nobody takes part any more, and has not for too long.
void Tuning::fail_without_devices(Stretch& stretch) {
  bool nobody = std::ranges::none_of(result_.devices, &std::string::empty, &DeviceShare::reason);
  if (!nobody) {
    stretch.alone_since.reset();
    return;
  }
  if (!stretch.alone_since) stretch.alone_since = Clock::now();
  if (options_.lost_seconds <= 0 || since(*stretch.alone_since) < options_.lost_seconds) return;
  stretch.failure = no_device(options_.lost_seconds, result_.devices);
}

bool Tuning::is_over(Stretch& stretch) {
  std::lock_guard lock(mutex_);
  fail_without_devices(stretch);
  return trials() >= stretch.last || stretch.end != TuneEnd::kTrials || stretch.failure ||
         options_.stop.stop_requested() || options_.enough.stop_requested() ||
         Clock::now() >= stretch.deadline;
}

/// A slow device that nobody can stand in for; false: it does not answer, or there is another one.
bool Tuning::settles(size_t device, Stretch const& stretch) {
  std::optional<Finalist> best;
  {
    std::lock_guard lock(mutex_);
    bool patient = stretch.alone_since && since(*stretch.alone_since) >= options_.slow_seconds;
    if (!patient) return false;
    if (!right_.empty()) best = right_.front();
  }
  if (!best) return true;  // nothing to compare with
  auto code = compile_kernel(best->candidate.schedule.program(), space_.backend(), CodeTier::kFast,
                             options_.stop);
  if (code) runners_[device]->settle(*code, best->seconds);
  return code.has_value();
}

/// Until the device answers again, or is as fast as it was; false: the stretch is over before.
bool Tuning::waits_for(size_t device, Trouble const& trouble, Stretch& stretch) {
  {
    std::lock_guard lock(mutex_);
    DeviceShare& share = result_.devices[device];
    bool first = share.reason.empty();
    share.lost += first && !trouble.slow;
    share.slowed += first && trouble.slow;
    share.reason = trouble.sentence;
    show(device, DeviceWork::kLost);
  }
  for (auto pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    auto until = Clock::now() + pause;
    while (Clock::now() < until) {
      std::this_thread::sleep_for(kFirstPause);
      if (is_over(stretch)) return false;
    }
    bool back = runners_[device]->is_back() || (trouble.slow && settles(device, stretch));
    if (!back) continue;
    std::lock_guard lock(mutex_);
    result_.devices[device].reason.clear();
    stretch.alone_since.reset();
    return true;
  }
}

}  // namespace tw
