// SPDX-License-Identifier: GPL-3.0-or-later
// Roofs and points of a machine that is not there: dashed and in the colour of a warning, so that
// nobody takes them for the machine's.
#include <QPainter>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>

#include "widgets/paint/paint.h"
#include "widgets/roofline/roofline_view.h"

namespace tw {

void RooflineView::show_hypothetical(std::shared_ptr<session::HypotheticalView const> view,
                                     QString const& changes) {
  if (if_ == view && if_words_ == changes) return;
  if_ = std::move(view);
  if_words_ = changes;
  fit_axes();
  update();
}

QPen RooflineView::if_pen() const {
  QPen pen(theme_.warn, 1.8);
  pen.setDashPattern({4, 3});
  return pen;
}

/// As the machine has it; empty: it is no other one.
std::optional<double> RooflineView::if_value(session::RoofView const& roof) const {
  if (!if_) return std::nullopt;
  for (session::RoofView const& other : if_->roofs)
    if (other.name == roof.name && other.compute == roof.compute &&
        std::abs(other.value / roof.value - 1) > 1e-6)
      return other.value;
  return std::nullopt;
}

void RooflineView::draw_if_roofs(QPainter& painter) const {
  double peak = 0;
  for (session::RoofView const& roof : view_->roofs)
    if (roof.compute) peak = std::max(peak, if_value(roof).value_or(roof.value));
  if (!if_ || peak <= 0) return;
  painter.save();
  painter.setClipRect(plot().adjusted(-1, -1, 1, 1));
  painter.setPen(if_pen());
  for (session::RoofView const& roof : view_->roofs) {
    auto value = if_value(roof);
    if (!value) continue;
    double most = std::exp2(high_x_);
    if (roof.compute) {
      painter.drawLine(position(std::exp2(low_x_), *value), position(most, *value));
      continue;
    }
    double start = std::max(std::exp2(low_x_), std::pow(10.0, low_y_) / *value);
    painter.drawLine(position(start, *value * start), position(peak / *value, peak));
  }
  painter.restore();
}

/// Of each step where it would be; an arrow to the current one, from where it is modelled now.
void RooflineView::draw_if_points(QPainter& painter) const {
  if (!if_ || layers_) return;
  for (session::HypotheticalPoint const& point : if_->trail) {
    QPointF to = place(point.then), from = place(point.now);
    painter.setPen(QPen(theme_.warn, 1.5));
    if (point.now.current) {
      painter.setBrush(Qt::NoBrush);
      draw_arrow(painter, from, to);
    }
    painter.setBrush(theme_.inset);
    double radius = point.now.current ? 6 : 3.5;
    painter.drawPolygon(QPolygonF({to + QPointF(0, -radius), to + QPointF(radius, radius * 0.8),
                                   to + QPointF(-radius, radius * 0.8)}));
  }
}

std::pair<QString, QString> RooflineView::if_lines() const {
  QString second = !if_                    ? QStringLiteral("Modelling…")
                   : !if_->failure.empty() ? QString::fromStdString(if_->failure)
                   : layers_
                       ? QStringLiteral("Every kernel with its default schedule, modelled on it.")
                       : QString::fromStdString(if_->words);
  // Where there is little room the legend says what was there.
  QString first = QStringLiteral("▲ Hypothetical: ") + if_words_;
  if (QFontMetricsF(ui_font(11, 600)).horizontalAdvance(first) + 22 > plot().width() - 90)
    first.remove(QRegularExpression(" instead of [^,]+"));
  return {first, second};
}

/// Labels of points stay out of it.
QRectF RooflineView::if_card() const {
  if (if_words_.isEmpty()) return {};
  auto [first, second] = if_lines();
  double wide = std::max(QFontMetricsF(ui_font(11, 600)).horizontalAdvance(first),
                         QFontMetricsF(ui_font(11)).horizontalAdvance(second));
  QRectF area = plot();
  return {area.left() + 76, area.top() + 6, std::min(wide + 22, area.width() - 90),
          second.isEmpty() ? 24.0 : 42.0};
}

/// In the plot, over everything.
void RooflineView::draw_if_words(QPainter& painter) const {
  QRectF card = if_card();
  if (card.isEmpty()) return;
  painter.setPen(QPen(theme_.warn, 1.2));
  painter.setBrush(theme_.raised);
  painter.drawRoundedRect(card, 6, 6);
  auto line = [&](double y, QFont const& font, QColor const& colour, QString const& words) {
    paint::text(painter, QRectF(card.left() + 9, y, card.width() - 14, 18), font, colour,
                QFontMetricsF(font).elidedText(words, Qt::ElideRight, card.width() - 18));
  };
  auto [first, second] = if_lines();
  line(card.top() + 3, ui_font(11, 600), theme_.warn, first);
  if (!second.isEmpty()) line(card.top() + 21, ui_font(11), theme_.text1, second);
}

std::vector<Part> RooflineView::if_parts() const {
  std::vector<Part> parts;
  if (!if_ || layers_) return parts;
  for (session::HypotheticalPoint const& point : if_->trail)
    parts.push_back(
        {QRectF(place(point.then) - QPointF(6, 6), QSizeF(12, 12)),
         QString("hypothetical: %1, %2 ms modelled")
             .arg(QString::fromStdString(point.then.label), paint::number(point.then.model_ms))});
  return parts;
}

}  // namespace tw
