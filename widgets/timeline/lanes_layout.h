// SPDX-License-Identifier: GPL-3.0-or-later
/// Where lanes, their blocks and the memory below them stand, in units.
#pragma once

#include <QRectF>

#include "widgets/timeline/timeline_focus.h"
#include "widgets/timeline/timeline_scale.h"

namespace tw {

/// -1: none.
struct LanePlace {
  int run = -1, lane = -1, span = -1;
};

struct LanesLayout {
  TimelineFocus const& focus;
  double width;  ///< of the view
  double room;   ///< lanes take this height together with their titles; at least their least

  TimelineScale scale() const;
  double height() const;
  double least_height() const;
  double top_of(int run) const;
  double height_of(TimelineRun const& run) const;
  double memory_top(int run) const;
  /// Of a lane of a run, names included.
  QRectF lane_rect(int run, int lane) const;
  /// Of a span, as far as it is seen.
  QRectF span_rect(int run, int span) const;
  /// The span that is painted there.
  LanePlace place_at(QPointF at) const;
  double least_height_of(TimelineRun const& run) const;
  double lane_height(TimelineRun const& run, int lane) const;
  /// Below the lanes, where words on what is left out stand.
  double cut_height(TimelineRun const& run) const;
};

}  // namespace tw
