#include "engine/tuner/device_speed.h"

#include <fmt/format.h>

#include <algorithm>

namespace tw {

DeviceSpeed::Verdict DeviceSpeed::judge(double speed) {
  if (speed <= 0) return Verdict::kGood;
  last_ = speed;
  full_ = std::max(full_, speed);
  bool full = speed >= kSlowestSpeed * full_;
  if (settled_ == 0) return full ? Verdict::kGood : Verdict::kSlow;
  if (full) {
    settled_ = 0;
    return Verdict::kRegained;
  }
  return speed >= kSlowestSpeed * settled_ ? Verdict::kGood : Verdict::kSlow;
}

void DeviceSpeed::settle(double speed, double scale) {
  settled_ = speed;
  scale_ = scale;
}

std::string DeviceSpeed::sentence() const {
  return fmt::format("it throttled to {:.0f} % of its initial speed", 100 * last_ / full_);
}

}  // namespace tw
