// SPDX-License-Identifier: GPL-3.0-or-later
/// Where cycles are across a timeline's pictures, and round cycles between them.
#pragma once

#include <QString>
#include <vector>

namespace tw {

struct TimelineScale {
  double left = 0, width = 1;  ///< units
  double from = 0, to = 1;     ///< cycles at both ends
  double x(double cycle) const { return left + (cycle - from) / (to - from) * width; }
  double cycle(double x) const { return from + (x - left) / width * (to - from); }
  double right() const { return left + width; }
  double per_cycle() const { return width / (to - from); }

  struct Tick {
    double x = 0;
    QString words;  ///< "4k"
  };
  /// At least `apart` units between two.
  std::vector<Tick> ticks(double apart) const;
};

/// Of every timeline's picture, in units: names stand at the left.
namespace timeline_metrics {
constexpr double kLeft = 104, kRight = 18;
constexpr double kLane = 32, kGap = 6;  ///< of a lane, and between two
constexpr double kThin = 20;            ///< of a lane that gets nothing of what is left over
constexpr double kCut = 22;             ///< of the words on what is left out, below the lanes
constexpr double kTitle = 34;           ///< of a run
constexpr double kMemory = 58;          ///< of the area below the lanes
}  // namespace timeline_metrics

}  // namespace tw
