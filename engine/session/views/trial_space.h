/// The trials of a tuning as points: a coordinate for each knob that they differ in, and their
/// time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/session/tuning.h"

namespace tw::session {

/// A knob, with the values that were tried: numbers by their size, words by the alphabet. Trials
/// name only what is not as the rule has it: what they leave to the rule is a place of its own.
struct TrialAxis {
  std::string knob;
  /// Of each place. Of the rule's the value that the rule takes, empty where that is not known.
  std::vector<std::string> values;
  int by_rule = -1;    ///< its place; -1: every trial that was asked names a value
  int not_asked = -1;  ///< the place of trials of a space without that knob; -1: there are none
  /// "16", "default", "not asked": the same whatever is known of the rule.
  std::string name(int place) const;
  /// The same with the rule's value: "default 8".
  std::string words(int place) const;
  /// Of a name or words; -1: there is none.
  int place_of(std::string const& word) const;
};

struct TrialPoint {
  int run = 0, trial = 0;
  double ms = 0;
  std::vector<int> values;  ///< of each axis the place of its value
};

struct TrialSpace {
  std::vector<TrialAxis> axes;     ///< the knob that decides most first
  std::vector<TrialPoint> points;  ///< those with a time
  double least_ms = 0, most_ms = 0;
  /// -1: there is none.
  int axis_of(std::string const& knob) const;
};
/// Of each run, by its number, the values of its knobs in the schedule by rule.
using RuleValues = std::map<int, std::map<std::string, std::string>>;

/// Knobs with one value are left out: they are the same everywhere. What the rule takes may depend
/// on other knobs: where a trial names the value that it has in the schedule by rule, another trial
/// that leaves the knob to the rule may have any.
TrialSpace trial_space(TuningView const& runs, RuleValues const& rules = {});

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
/// What was kept, on axes that have got other values meanwhile; ranges of what is gone are left
/// out.
TrialFilter carried(TrialFilter const& filter, TrialSpace const& from, TrialSpace const& to);
/// For each point whether it is in all ranges and in the fastest part.
std::vector<char> kept_by(TrialSpace const& space, TrialFilter const& filter);
/// The fastest point that is kept; -1: none is.
int fastest_of(TrialSpace const& space, std::vector<char> const& kept);

}  // namespace tw::session
