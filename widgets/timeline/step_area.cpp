// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/step_area.h"

#include <algorithm>

namespace tw {

/// By rectangles: a polygon of thousands of edges would take longer than all lanes.
void StepArea::draw(QPainter& painter) const {
  constexpr double kThick = 1.5;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.setClipRect(area.adjusted(0, -1, 0, 1));
  double before = -1, end = scale.x(double(index.timeline().cycles));
  for (double x = area.left(); x < std::min(area.right(), end + 1); x += 1) {
    auto first = int64_t(scale.cycle(x));
    auto seen = index.extremes(counter, first, std::max(first + 1, int64_t(scale.cycle(x + 1))));
    double low = y(double(seen.least)), high = y(double(seen.most));
    if (fill.isValid() && seen.most > 0)
      painter.fillRect(QRectF(x, high, 1, area.bottom() - high), fill);
    // From where it was to where it is.
    double top = before < 0 ? high : std::min(high, before), bottom = std::max(low, before);
    painter.fillRect(QRectF(x, top, bottom - top > kThick ? kThick : 1, bottom - top + kThick),
                     line);
    before = y(double(index.value_at(counter, int64_t(scale.cycle(x + 1)))));
  }
  painter.restore();
}

}  // namespace tw
