// SPDX-License-Identifier: GPL-3.0-or-later
// Roofs and points of a machine that is not there: dashed and in the colour of a warning, so that
// nobody takes them for the machine's.
#include <QRegularExpression>
#include <algorithm>
#include <cmath>

#include "widgets/paint/paint.h"
#include "widgets/roofline/roofline_paint.h"

namespace tw {

QPen if_pen(Theme const& theme) {
  QPen pen(theme.warn, 1.8);
  pen.setDashPattern({4, 3});
  return pen;
}

/// As the machine has it; empty: it is no other one.
std::optional<double> RooflineScene::if_value(session::RoofView const& roof) const {
  if (!hypothetical) return std::nullopt;
  for (session::RoofView const& other : hypothetical->roofs)
    if (other.name == roof.name && other.compute == roof.compute &&
        std::abs(other.value / roof.value - 1) > 1e-6)
      return other.value;
  return std::nullopt;
}

void paint_if_roofs(QPainter& painter, RooflineScene const& scene) {
  double peak = 0;
  for (session::RoofView const& roof : scene.roofline->roofs)
    if (roof.compute) peak = std::max(peak, scene.if_value(roof).value_or(roof.value));
  if (!scene.hypothetical || peak <= 0) return;
  painter.save();
  painter.setClipRect(scene.plot().adjusted(-1, -1, 1, 1));
  painter.setPen(if_pen(scene.canvas.theme()));
  for (session::RoofView const& roof : scene.roofline->roofs) {
    auto value = scene.if_value(roof);
    if (!value) continue;
    double most = std::exp2(scene.high_x);
    if (roof.compute) {
      painter.drawLine(scene.position(std::exp2(scene.low_x), *value),
                       scene.position(most, *value));
      continue;
    }
    double start = std::max(std::exp2(scene.low_x), std::pow(10.0, scene.low_y) / *value);
    painter.drawLine(scene.position(start, *value * start), scene.position(peak / *value, peak));
  }
  painter.restore();
}

/// Of each step where it would be; an arrow to the current one, from where it is modelled now.
void paint_if_points(QPainter& painter, RooflineScene const& scene) {
  if (!scene.hypothetical || scene.layers) return;
  for (session::HypotheticalPoint const& point : scene.hypothetical->trail) {
    QPointF to = scene.place(point.then), from = scene.place(point.now);
    painter.setPen(QPen(scene.canvas.theme().warn, 1.5));
    if (point.now.current) {
      painter.setBrush(Qt::NoBrush);
      paint_arrow(painter, from, to);
    }
    painter.setBrush(scene.canvas.theme().inset);
    double radius = point.now.current ? 6 : 3.5;
    painter.drawPolygon(QPolygonF({to + QPointF(0, -radius), to + QPointF(radius, radius * 0.8),
                                   to + QPointF(-radius, radius * 0.8)}));
  }
}

std::pair<QString, QString> RooflineScene::if_lines() const {
  QString second = !hypothetical                    ? QStringLiteral("Modelling…")
                   : !hypothetical->failure.empty() ? QString::fromStdString(hypothetical->failure)
                   : layers
                       ? QStringLiteral("Every kernel with its default schedule, modelled on it.")
                       : QString::fromStdString(hypothetical->words);
  // Where there is little room the legend says what was there.
  QString first = QStringLiteral("▲ Hypothetical: ") + changes;
  if (QFontMetricsF(ui_font(11, 600)).horizontalAdvance(first) + 22 > plot().width() - 90)
    first.remove(QRegularExpression(" instead of [^,]+"));
  return {first, second};
}

/// Labels of points stay out of it.
QRectF RooflineScene::if_card() const {
  if (changes.isEmpty()) return {};
  auto [first, second] = if_lines();
  double wide = std::max(QFontMetricsF(ui_font(11, 600)).horizontalAdvance(first),
                         QFontMetricsF(ui_font(11)).horizontalAdvance(second));
  QRectF area = plot();
  return {area.left() + 76, area.top() + 6, std::min(wide + 22, area.width() - 90),
          second.isEmpty() ? 24.0 : 42.0};
}

/// In the plot, over everything.
void paint_if_words(QPainter& painter, RooflineScene const& scene) {
  QRectF card = scene.if_card();
  if (card.isEmpty()) return;
  painter.setPen(QPen(scene.canvas.theme().warn, 1.2));
  painter.setBrush(scene.canvas.theme().raised);
  painter.drawRoundedRect(card, 6, 6);
  auto line = [&](double y, QFont const& font, QColor const& colour, QString const& words) {
    paint::text(painter, QRectF(card.left() + 9, y, card.width() - 14, 18), font, colour,
                QFontMetricsF(font).elidedText(words, Qt::ElideRight, card.width() - 18));
  };
  auto [first, second] = scene.if_lines();
  line(card.top() + 3, ui_font(11, 600), scene.canvas.theme().warn, first);
  if (!second.isEmpty()) line(card.top() + 21, ui_font(11), scene.canvas.theme().text1, second);
}

std::vector<Part> RooflineScene::if_parts() const {
  std::vector<Part> parts;
  if (!hypothetical || layers) return parts;
  for (session::HypotheticalPoint const& point : hypothetical->trail)
    parts.push_back(
        {QRectF(place(point.then) - QPointF(6, 6), QSizeF(12, 12)),
         QString("hypothetical: %1, %2 ms modelled")
             .arg(QString::fromStdString(point.then.label), paint::number(point.then.model_ms))});
  return parts;
}

}  // namespace tw
