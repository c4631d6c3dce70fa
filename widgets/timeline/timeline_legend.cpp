// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_legend.h"

#include "widgets/paint/paint.h"

namespace tw {

TimelineLegend::TimelineLegend(TimelineFocus& focus, QWidget* parent)
    : Canvas(parent), focus_(focus) {
  setObjectName("timelineLegend");
  setAccessibleName("Kinds of work");
  connect(&focus_, &TimelineFocus::runs_changed, this, [this] {
    find_drawn();
    lay_out();
  });
}

void TimelineLegend::set_theme(Theme const& theme) {
  hues_.set_theme(theme);
  Canvas::set_theme(theme);
}

/// Only those of which a run has a block: a key to what is nowhere takes room from what is.
void TimelineLegend::find_drawn() {
  drawn_.clear();
  if (!focus_.current()) return;
  drawn_.resize(focus_.current()->timeline().kinds.size(), false);
  for (int run = 0; run <= focus_.current_number(); ++run)
    for (auto const& span : focus_.runs()[size_t(run)].timeline().spans)
      if (span.kind >= 0 && size_t(span.kind) < drawn_.size()) drawn_[size_t(span.kind)] = true;
}

void TimelineLegend::lay_out() {
  entries_.clear();
  constexpr double kRow = 22, kSwatch = 24;
  double x = 16, y = 4;
  auto add = [&](QString const& words, int kind) {
    double wide = kSwatch + QFontMetricsF(ui_font(11.5)).horizontalAdvance(words) + 6;
    if (x > 16 && x + wide > unit_width() - 8) x = 16, y += kRow;
    entries_.push_back({QRectF(x, y, std::min(wide, unit_width() - 24), kRow), words, kind});
    x += wide + 14;
  };
  if (TimelineRun const* run = focus_.current()) {
    auto const& kinds = run->timeline().kinds;
    for (size_t i = 0; i < kinds.size(); ++i) {
      if (i >= drawn_.size() || !drawn_[i]) continue;
      QString words = QString::fromStdString(kinds[i].name);
      if (kinds[i].stall && !kinds[i].meaning.empty())
        words += " " + QString::fromStdString(kinds[i].meaning);
      add(words, int(i));
    }
    if (!run->timeline().tokens.empty()) add("token", -1);
  }
  setFixedHeight(entries_.empty() ? 0 : pixels(QSizeF(0, y + kRow + 6)).height());
  update();
}

void TimelineLegend::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  painter.setPen(QPen(theme_.line1, 1));
  painter.drawLine(QPointF(0, 0.5), QPointF(unit_width(), 0.5));
  for (Entry const& entry : entries_) {
    QRectF swatch(entry.rect.left(), entry.rect.top() + 4, 18, 14);
    if (entry.kind >= 0) {
      hues_.block(painter, swatch, focus_.current()->timeline().kinds[size_t(entry.kind)]);
    } else {
      painter.setPen(QPen(theme_.text3, 1));
      painter.drawLine(swatch.topLeft() + QPointF(2, 3), swatch.bottomRight() - QPointF(0, 2));
      painter.setBrush(theme_.text3);
      painter.drawEllipse(swatch.topLeft() + QPointF(2, 3), 2, 2);
    }
    paint::text(painter, entry.rect.adjusted(24, 0, 0, 0), ui_font(11.5), theme_.text2,
                entry.words);
  }
}

std::vector<Part> TimelineLegend::parts() const {
  std::vector<Part> parts;
  for (Entry const& entry : entries_) parts.push_back({entry.rect, entry.words, false});
  return parts;
}

}  // namespace tw
