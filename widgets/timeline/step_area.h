// SPDX-License-Identifier: GPL-3.0-or-later
/// A number that changes with the cycles, as steps, however many there are: a column of pixels
/// shows from where to where it went.
#pragma once

#include <QPainter>

#include "engine/session/timeline_index.h"
#include "widgets/timeline/timeline_scale.h"

namespace tw {

struct StepArea {
  session::TimelineIndex const& index;
  int counter = 0;
  TimelineScale scale;
  QRectF area;
  int64_t most = 1;        ///< what stands at `area`'s top
  QColor line, fill = {};  ///< not valid: only the line
  double y(double value) const {
    return area.bottom() - 1 - value / double(most) * (area.height() - 4);
  }
  void draw(QPainter& painter) const;
};

}  // namespace tw
