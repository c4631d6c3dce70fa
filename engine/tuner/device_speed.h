/// Whether a device is as fast as it was. What a slowed one measures says nothing beside what
/// others measure, and no factor of clocks makes it right: kernels that wait for memory do not slow
/// down.
#pragma once

#include <string>

namespace tw {

/// Of the speed that a device had at best: what is measured at less is thrown away.
inline constexpr double kSlowestSpeed = 0.75;

/// Of one device; used by one thread at a time.
class DeviceSpeed {
public:
  enum class Verdict : unsigned char {
    kGood,
    kSlow,     ///< slower than what it is compared with
    kRegained  ///< it had been taken as slow, and is not any more: measure again
  };
  /// `speed`: of the probe that runs beside samples; 0: not known, which is good.
  Verdict judge(double speed);

  bool known() const { return full_ > 0; }
  /// It stays slow and nobody else is there: from now on it is compared with this speed, and its
  /// samples times `scale` are what it would have measured before.
  void settle(double speed, double scale);
  double scale() const { return settled_ > 0 ? scale_ : 1; }
  std::string sentence() const;  ///< of the last verdict: "it slowed down: ..."

  /// Its times were compared with those of others of its kind.
  bool compared = false;

private:
  double full_ = 0;     ///< the best that was seen
  double settled_ = 0;  ///< what it is compared with instead; 0: with the best
  double scale_ = 1;
  double last_ = 0;
};

}  // namespace tw
