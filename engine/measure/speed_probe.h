/// Whether others use a device's processors: a burst of arithmetic on all threads beside each
/// measurement is slower than it was at best.
#pragma once

#include <algorithm>

#include "engine/device/device.h"
#include "engine/hardware/roof_probes.h"

namespace tw {

/// Not thread-safe. After the device was restarted its library is loaded again by itself.
class SpeedProbe {
public:
  SpeedProbe(Device& device, RoofProbes probes, int threads)
      : device_(device), probes_(std::move(probes)), threads_(threads) {}
  ~SpeedProbe();
  SpeedProbe(SpeedProbe const&) = delete;

  /// 1e9 operations per second of all threads together, in the middle of some bursts that take two
  /// milliseconds in all. Errors: those of the device.
  Result<double> speed(CallOptions const& options);
  /// A roof that was measured is a speed that was reached, too.
  void know(double reached) { best_ = std::max(best_, reached); }
  /// At least nine tenths of the best that was ever seen.
  bool is_quiet(double speed) const { return speed >= 0.9 * best_; }

private:
  Status prepare(CallOptions const& options);

  Device& device_;
  RoofProbes probes_;
  int threads_;
  double best_ = 0;
  LibraryHandle library_;
  TensorHandle parameters_;
  bool prepared_ = false;
};

}  // namespace tw
