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

void sort_values(std::vector<std::string>& values) {
  std::ranges::sort(values, [](std::string const& a, std::string const& b) {
    auto x = number_of(a), y = number_of(b);
    if (x && y && *x != *y) return *x < *y;
    if (x.has_value() != y.has_value()) return x.has_value();
    return a < b;
  });
}

/// What is decided most first; knobs that decide nothing by their names.
void sort_axes(std::vector<TrialAxis>& axes, TuningView const& runs) {
  std::map<std::string, double> shares;
  for (KnobShare const& one : knob_importance(runs).knobs) shares[one.knob] = one.share;
  std::ranges::stable_sort(axes, [&](TrialAxis const& a, TrialAxis const& b) {
    return shares[a.knob] > shares[b.knob];
  });
}

std::vector<TrialAxis> axes_of(TuningView const& runs) {
  std::map<std::string, std::set<std::string>> tried;
  for (auto const& run : runs.runs)
    for (auto const& trial : run->trials)
      for (auto const& [knob, value] : trial->knobs) tried[knob].insert(value);
  std::vector<TrialAxis> axes;
  for (auto const& [knob, values] : tried) {
    if (values.size() < 2) continue;
    axes.push_back({knob, {values.begin(), values.end()}});
    sort_values(axes.back().values);
  }
  sort_axes(axes, runs);
  return axes;
}

}  // namespace

int TrialSpace::axis_of(std::string const& knob) const {
  auto found = std::ranges::find(axes, knob, &TrialAxis::knob);
  return found == axes.end() ? -1 : int(found - axes.begin());
}

TrialSpace trial_space(TuningView const& runs) {
  TrialSpace space;
  space.axes = axes_of(runs);
  std::unordered_map<std::string, int> axis_of;
  std::vector<std::unordered_map<std::string, int>> places(space.axes.size());
  for (size_t axis = 0; axis < space.axes.size(); ++axis) {
    axis_of[space.axes[axis].knob] = int(axis);
    for (std::string const& value : space.axes[axis].values)
      places[axis].emplace(value, int(places[axis].size()));
  }
  for (auto const& run : runs.runs)
    for (auto const& trial : run->trials) {
      if (trial->ms <= 0) continue;
      TrialPoint point{run->number, trial->number, trial->ms,
                       std::vector<int>(space.axes.size(), -1)};
      for (auto const& [knob, value] : trial->knobs)
        if (auto axis = axis_of.find(knob); axis != axis_of.end())
          point.values[size_t(axis->second)] = places[size_t(axis->second)].at(value);
      bool first = space.points.empty();
      space.least_ms = first ? trial->ms : std::min(space.least_ms, trial->ms);
      space.most_ms = std::max(space.most_ms, trial->ms);
      space.points.push_back(std::move(point));
    }
  return space;
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
