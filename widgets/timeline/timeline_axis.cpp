// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_axis.h"

#include "widgets/paint/paint.h"

namespace tw {

TimelineAxis::TimelineAxis(TimelineFocus& focus, TimelineLanes& lanes, QWidget* parent)
    : Canvas(parent), focus_(focus), lanes_(lanes) {
  setObjectName("timelineAxis");
  setAccessibleName("Cycles");
  setFixedHeight(sizeHint().height());
  for (auto changed : {&TimelineFocus::seen_changed, &TimelineFocus::chosen_changed})
    connect(&focus_, changed, this, qOverload<>(&QWidget::update));
  connect(&lanes_, &TimelineLanes::resized, this, qOverload<>(&QWidget::update));
}

void TimelineAxis::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  if (!focus_.current()) return;
  paint::text(painter, QRectF(16, 4, 60, 18), ui_font(11), theme_.text3, "cycles");
  TimelineScale scale = lanes_.layout().scale();
  QString here = grouped(focus_.cursor());
  double wide = QFontMetricsF(mono_font(11, 600)).horizontalAdvance(here) + 12;
  double x = scale.x(double(focus_.cursor()));
  bool seen = x >= scale.left - 1 && x <= scale.right() + 1;
  QRectF plate(std::clamp(x - wide / 2, scale.left, std::max(scale.left, unit_width() - wide - 2)),
               4, wide, 18);
  double last = counted_until();
  for (TimelineScale::Tick const& tick : scale.ticks(64)) {
    if (tick.x > scale.x(last)) break;
    QRectF box(tick.x - 30, 4, 60, 18);
    double words = QFontMetricsF(mono_font(11)).horizontalAdvance(tick.words) / 2 + 4;
    bool clear = !seen || tick.x + words < plate.left() || tick.x - words > plate.right();
    if (clear && tick.x + words < unit_width())
      paint::text(painter, box, mono_font(11), theme_.text3, tick.words, Qt::AlignCenter);
  }
  if (!seen) return;
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme_.control);
  painter.drawRoundedRect(plate, 4, 4);
  paint::text(painter, plate, mono_font(11, 600), theme_.text1, here, Qt::AlignCenter);
}

/// Behind what is left out cycles are other ones than those that are shown.
double TimelineAxis::counted_until() const {
  double last = double(focus_.cycles());
  for (TimelineRun const& run : focus_.runs())
    if (!run.timeline().cuts.empty()) last = std::min(last, double(run.timeline().cuts.front().at));
  return last;
}

std::vector<Part> TimelineAxis::parts() const {
  if (!focus_.current()) return {};
  return {{unit_rect(),
           QString("cycles %1 to %2, cursor at %3")
               .arg(grouped(int64_t(focus_.from())), grouped(int64_t(focus_.to())),
                    grouped(focus_.cursor())),
           false}};
}

}  // namespace tw
