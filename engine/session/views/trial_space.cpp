#include "engine/session/views/trial_space.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "engine/session/views/tuning_statistics.h"

namespace tw::session {
namespace {

std::optional<double> number_of(std::string const& text) {
  double value = 0;
  auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (trouble != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool comes_before(std::string const& a, std::string const& b) {
  auto x = number_of(a), y = number_of(b);
  if (x && y && *x != *y) return *x < *y;
  if (x.has_value() != y.has_value()) return x.has_value();
  return a < b;
}

/// What is decided most first; knobs that decide nothing by their names.
void sort_axes(std::vector<TrialAxis>& axes, TuningView const& runs) {
  std::map<std::string, double> shares;
  for (KnobShare const& one : knob_importance(runs).knobs) shares[one.knob] = one.share;
  std::ranges::stable_sort(axes, [&](TrialAxis const& a, TrialAxis const& b) {
    return shares[a.knob] > shares[b.knob];
  });
}

/// Runs whose trials are points of one space: what one of them names all are asked for.
using SpaceKey = std::pair<int, std::string>;
SpaceKey space_of(TuningRun const& run) { return {run.from, run.kind}; }

/// How often a knob was named, in which values.
struct NamedKnob {
  std::set<std::string> values;
  std::map<SpaceKey, size_t> times;
};

struct NamedKnobs {
  std::map<std::string, NamedKnob> knobs;
  std::map<SpaceKey, size_t> trials;
};

NamedKnobs named_knobs(TuningView const& runs) {
  NamedKnobs named;
  for (auto const& run : runs.runs) {
    SpaceKey space = space_of(*run);
    named.trials[space] += run->trials.size();
    for (auto const& trial : run->trials)
      for (auto const& [knob, value] : trial->knobs) {
        NamedKnob& one = named.knobs[knob];
        one.values.insert(value);
        ++one.times[space];
      }
  }
  return named;
}

/// What the rule takes in all runs that are asked for the knob; empty: not known.
std::string rule_value(std::string const& knob, NamedKnob const& named, TuningView const& runs,
                       RuleValues const& rules) {
  std::set<std::string> found;
  for (auto const& run : runs.runs) {
    if (!named.times.contains(space_of(*run))) continue;
    auto rule = rules.find(run->number);
    if (rule == rules.end() || !rule->second.contains(knob)) return "";
    found.insert(rule->second.at(knob));
  }
  return found.size() == 1 && !named.values.contains(*found.begin()) ? *found.begin() : "";
}

/// An unknown value of the rule stands before those that are known, what was not asked before both.
TrialAxis axis_of(std::string const& knob, NamedKnob const& named,
                  std::map<SpaceKey, size_t> const& trials, std::string const& rule) {
  bool left_to_rule = false, not_asked = false;
  for (auto const& [space, many] : trials) {
    auto times = named.times.find(space);
    left_to_rule |= times != named.times.end() && times->second < many;
    not_asked |= times == named.times.end() && many > 0;
  }
  TrialAxis axis{.knob = knob, .values = {named.values.begin(), named.values.end()}};
  if (left_to_rule && !rule.empty()) axis.values.push_back(rule);
  std::ranges::sort(axis.values, comes_before);
  if (left_to_rule && rule.empty()) axis.values.insert(axis.values.begin(), "");
  if (left_to_rule) axis.by_rule = int(std::ranges::find(axis.values, rule) - axis.values.begin());
  if (not_asked) {
    axis.values.insert(axis.values.begin(), "");
    axis.not_asked = 0;
    if (left_to_rule) ++axis.by_rule;
  }
  return axis;
}

/// Points of a run, by the places of what its trials name.
class Places {
public:
  Places(std::vector<TrialAxis> const& axes, NamedKnobs const& named) : axes_(axes), named_(named) {
    for (size_t axis = 0; axis < axes.size(); ++axis) {
      auto& [number, places] = known_[axes[axis].knob];
      number = axis;
      for (int place = 0; place < int(axes[axis].values.size()); ++place)
        if (place != axes[axis].by_rule && place != axes[axis].not_asked)
          places[axes[axis].values[size_t(place)]] = place;
    }
  }
  /// Of a trial that names nothing.
  std::vector<int> unnamed(TuningRun const& run) const {
    std::vector<int> values;
    for (TrialAxis const& axis : axes_) {
      bool asked = named_.knobs.at(axis.knob).times.contains(space_of(run));
      values.push_back(asked ? axis.by_rule : axis.not_asked);
    }
    return values;
  }
  void take(TuningTrial const& trial, std::vector<int>& values) const {
    for (auto const& [knob, value] : trial.knobs)
      if (auto known = known_.find(knob); known != known_.end())
        values[known->second.first] = known->second.second.at(value);
  }

private:
  std::vector<TrialAxis> const& axes_;
  NamedKnobs const& named_;
  /// Of each knob the number of its axis, and the places of its values.
  std::unordered_map<std::string, std::pair<size_t, std::unordered_map<std::string, int>>> known_;
};

}  // namespace

std::string TrialAxis::name(int place) const {
  return place == by_rule ? "default" : place == not_asked ? "not asked" : values[size_t(place)];
}

std::string TrialAxis::words(int place) const {
  bool known = place == by_rule && !values[size_t(place)].empty();
  return known ? name(place) + " " + values[size_t(place)] : name(place);
}

int TrialAxis::place_of(std::string const& wanted) const {
  // Older journals have "by rule".
  std::string const old = "by rule";
  std::string word = wanted.starts_with(old) ? "default" + wanted.substr(old.size()) : wanted;
  for (int place = 0; place < int(values.size()); ++place)
    if (word == name(place) || word == words(place)) return place;
  return -1;
}

int TrialSpace::axis_of(std::string const& knob) const {
  auto found = std::ranges::find(axes, knob, &TrialAxis::knob);
  return found == axes.end() ? -1 : int(found - axes.begin());
}

TrialSpace trial_space(TuningView const& runs, RuleValues const& rules) {
  TrialSpace space;
  NamedKnobs named = named_knobs(runs);
  for (auto const& [knob, one] : named.knobs) {
    TrialAxis axis = axis_of(knob, one, named.trials, rule_value(knob, one, runs, rules));
    if (axis.values.size() > 1) space.axes.push_back(std::move(axis));
  }
  sort_axes(space.axes, runs);
  Places places(space.axes, named);
  for (auto const& run : runs.runs) {
    std::vector<int> const unnamed = places.unnamed(*run);
    for (auto const& trial : run->trials) {
      if (trial->ms <= 0) continue;
      TrialPoint point{run->number, trial->number, trial->ms, unnamed};
      places.take(*trial, point.values);
      bool first = space.points.empty();
      space.least_ms = first ? trial->ms : std::min(space.least_ms, trial->ms);
      space.most_ms = std::max(space.most_ms, trial->ms);
      space.points.push_back(std::move(point));
    }
  }
  return space;
}

TrialFilter carried(TrialFilter const& filter, TrialSpace const& from, TrialSpace const& to) {
  TrialFilter result{.ranges = {}, .top = filter.top};
  for (AxisRange const& range : filter.ranges) {
    if (size_t(range.axis) >= from.axes.size()) {
      result.ranges.push_back({int(to.axes.size()), range.low, range.high});
      continue;
    }
    TrialAxis const& before = from.axes[size_t(range.axis)];
    int axis = to.axis_of(before.knob);
    if (axis < 0) continue;
    int low = to.axes[size_t(axis)].place_of(before.name(int(range.low)));
    int high = to.axes[size_t(axis)].place_of(before.name(int(range.high)));
    if (low >= 0 && high >= 0)
      result.ranges.push_back({axis, double(std::min(low, high)), double(std::max(low, high))});
  }
  return result;
}

std::vector<char> kept_by(TrialSpace const& space, TrialFilter const& filter) {
  std::vector<char> kept(space.points.size(), 1);
  double slowest = std::numeric_limits<double>::infinity();
  if (filter.top < 1 && !space.points.empty()) {
    std::vector<double> times;
    for (TrialPoint const& point : space.points) times.push_back(point.ms);
    auto many = size_t(std::ceil(filter.top * double(times.size())));
    auto last = times.begin() + std::ptrdiff_t(std::clamp<size_t>(many, 1, times.size()) - 1);
    std::nth_element(times.begin(), last, times.end());
    slowest = *last;
  }
  for (size_t i = 0; i < kept.size(); ++i) {
    TrialPoint const& point = space.points[i];
    if (point.ms > slowest) kept[i] = 0;
    for (AxisRange const& range : filter.ranges) {
      bool time = size_t(range.axis) >= space.axes.size();
      double value = time ? point.ms : double(point.values[size_t(range.axis)]);
      if (value < range.low || value > range.high) kept[i] = 0;
    }
  }
  return kept;
}

int fastest_of(TrialSpace const& space, std::vector<char> const& kept) {
  int best = -1;
  for (size_t i = 0; i < kept.size(); ++i)
    if (kept[i] && (best < 0 || space.points[i].ms < space.points[size_t(best)].ms)) best = int(i);
  return best;
}

}  // namespace tw::session
