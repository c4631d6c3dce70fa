/// The trials of a tuning as points: a coordinate for each knob that they differ in, and their
/// time.
#pragma once

#include <string>
#include <vector>

#include "engine/session/tuning.h"

namespace tw::session {

/// A knob, with the values that were tried: numbers by their size, words by the alphabet.
struct TrialAxis {
  std::string knob;
  std::vector<std::string> values;
};

struct TrialPoint {
  int run = 0, trial = 0;
  double ms = 0;
  std::vector<int> values;  ///< of each axis the place of its value; -1: the trial has none
};

struct TrialSpace {
  std::vector<TrialAxis> axes;     ///< the knob that decides most first
  std::vector<TrialPoint> points;  ///< those with a time
  double least_ms = 0, most_ms = 0;
  /// -1: there is none.
  int axis_of(std::string const& knob) const;
};
/// Knobs with one value are left out: they are the same everywhere.
TrialSpace trial_space(TuningView const& runs);

/// What a person keeps in sight.
struct AxisRange {
  int axis = 0;              ///< as many as there are axes: the time
  double low = 0, high = 0;  ///< places of values, or ms; both ends are in it
  bool operator==(AxisRange const&) const = default;
};
struct TrialFilter {
  std::vector<AxisRange> ranges;  ///< at most one for each axis
  double top = 1;                 ///< of all trials the fastest part: 0.05
  bool operator==(TrialFilter const&) const = default;
};
/// For each point whether it is in all ranges and in the fastest part.
std::vector<char> kept_by(TrialSpace const& space, TrialFilter const& filter);
/// The fastest point that is kept; -1: none is.
int fastest_of(TrialSpace const& space, std::vector<char> const& kept);

}  // namespace tw::session
