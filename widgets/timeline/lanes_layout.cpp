// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/lanes_layout.h"

#include <algorithm>
#include <cmath>

namespace tw {

using namespace timeline_metrics;

namespace {

double least_of(Timeline::Lane const& lane) { return lane.share > 0 ? kLane : kThin; }

}  // namespace

double LanesLayout::height() const {
  double high = 4;
  for (TimelineRun const& run : focus.runs()) high += height_of(run);
  return high;
}

TimelineScale LanesLayout::scale() const {
  return {kLeft, std::max(40.0, width - kLeft - kRight), focus.from(), focus.to()};
}

double LanesLayout::least_height() const {
  double high = 4;
  for (TimelineRun const& run : focus.runs()) high += least_height_of(run);
  return high;
}

double LanesLayout::least_height_of(TimelineRun const& run) const {
  double memory = focus.memory_in(run) >= 0 ? kMemory + 12 : 0, lanes = 0;
  for (Timeline::Lane const& lane : run.timeline().lanes) lanes += least_of(lane) + kGap;
  return kTitle + lanes + cut_height(run) + memory + 12;
}

double LanesLayout::cut_height(TimelineRun const& run) const {
  return run.timeline().cuts.empty() ? 0 : kCut;
}

double LanesLayout::height_of(TimelineRun const& run) const {
  double high = least_height_of(run);
  for (size_t lane = 0; lane < run.timeline().lanes.size(); ++lane)
    high += lane_height(run, int(lane)) - least_of(run.timeline().lanes[lane]);
  return high;
}

/// What there is room for goes to the lanes by what one looks for in them.
double LanesLayout::lane_height(TimelineRun const& run, int lane) const {
  constexpr double kMostMore = 32;  // for each share
  double shares = 0;
  for (TimelineRun const& one : focus.runs())
    for (Timeline::Lane const& of : one.timeline().lanes) shares += of.share;
  double more = shares > 0 ? std::clamp((room - least_height()) / shares, 0.0, kMostMore) : 0;
  Timeline::Lane const& of = run.timeline().lanes[size_t(lane)];
  return least_of(of) + more * of.share;
}

double LanesLayout::top_of(int run) const {
  double top = 0;
  for (int i = 0; i < run; ++i) top += height_of(focus.runs()[size_t(i)]);
  return top;
}

QRectF LanesLayout::lane_rect(int run, int lane) const {
  TimelineRun const& of = focus.runs()[size_t(run)];
  double top = top_of(run) + kTitle;
  for (int above = 0; above < lane; ++above) top += lane_height(of, above) + kGap;
  bool there = size_t(lane) < of.timeline().lanes.size();  // else where the next one would be
  return {0, top, width, there ? lane_height(of, lane) : kLane};
}

double LanesLayout::memory_top(int run) const {
  TimelineRun const& of = focus.runs()[size_t(run)];
  return lane_rect(run, int(of.timeline().lanes.size())).top() + cut_height(of) + 8;
}

QRectF LanesLayout::span_rect(int run, int span) const {
  Timeline::Span const& of = focus.runs()[size_t(run)].timeline().spans[size_t(span)];
  TimelineScale at = scale();
  double left = std::max(at.x(double(of.begin)), at.left - 8),
         right = std::min(at.x(double(of.end)), at.right() + 8);
  QRectF lane = lane_rect(run, of.lane);
  double gap = right - left > 4 ? 1.2 : 0;
  return {left, lane.top() + 2, std::max(1.5, right - left - gap), lane.height() - 4};
}

LanePlace LanesLayout::place_at(QPointF at) const {
  TimelineScale across = scale();
  if (at.x() < across.left || at.x() > across.right()) return {};
  for (int run = 0; run <= focus.current_number(); ++run) {
    TimelineRun const& of = focus.runs()[size_t(run)];
    for (int lane = 0; lane < int(of.timeline().lanes.size()); ++lane) {
      QRectF rect = lane_rect(run, lane);
      if (at.y() < rect.top() || at.y() >= rect.bottom()) continue;
      auto cycle = int64_t(std::floor(across.cycle(at.x())));
      int span = of.index().span_at(lane, cycle);
      // A thin one is met by pointing at it nearly.
      auto near = int64_t(3 / across.per_cycle());
      for (int64_t aside = 1; span < 0 && aside <= 2 && near > 0; ++aside) {
        auto seen = of.index().seen(lane, cycle - near, cycle + near + 1);
        if (!seen.empty()) span = seen[seen.size() / 2];
      }
      return {run, lane, span};
    }
  }
  return {};
}

}  // namespace tw
