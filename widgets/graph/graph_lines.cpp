// SPDX-License-Identifier: GPL-3.0-or-later
// Lines between cards, near enough to be told apart: orthogonal with round corners, open arrow
// heads, and what passes.
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "widgets/graph/graph_paint.h"
#include "widgets/paint/paint.h"

namespace tw {

using graph::Border;

namespace {

constexpr double kCorner = 8, kSkipCorner = 14;

/// How far a corner begins before a point: not more than half of either side.
double cut_of(std::vector<QPointF> const& points, size_t i, double round) {
  auto length = [](QPointF side) { return std::abs(side.x()) + std::abs(side.y()); };
  return std::min(
      {round, length(points[i] - points[i - 1]) / 2, length(points[i + 1] - points[i]) / 2});
}

QPainterPath rounded(std::vector<QPointF> const& points, double round) {
  QPainterPath path(points[0]);
  for (size_t i = 1; i + 1 < points.size(); ++i) {
    QPointF before = points[i] - points[i - 1], after = points[i + 1] - points[i];
    double cut = cut_of(points, i, round);
    if (cut <= 0) continue;
    path.lineTo(points[i] - before * (cut / (std::abs(before.x()) + std::abs(before.y()))));
    path.quadTo(points[i], points[i] + after * (cut / (std::abs(after.x()) + std::abs(after.y()))));
  }
  path.lineTo(points.back());
  return path;
}

QPen edge_pen(GraphScene const& scene, size_t edge) {
  bool chosen = int(edge) == scene.edge;
  Border const& border = scene.cards.borders[edge];
  if (!chosen && scene.cut.is_crossed_by(border)) {
    int from = scene.cut.place_of(scene.cards.cards[size_t(border.from)]);
    int to = scene.cut.place_of(scene.cards.cards[size_t(border.to)]);
    return QPen(scene.cut.colour_of(scene.theme, std::max(from, to)), 2.5, Qt::DashLine);
  }
  return QPen(chosen ? scene.theme.ink : scene.theme.line3, chosen ? 2 : 1.5);
}

/// In whole pixels: one that is neither one nor two would be now this, now that. Its corners are
/// left out where it is an ordinary one, and are drawn with all others'.
void paint_line(QPainter& painter, GraphScene const& scene, size_t edge,
                std::vector<QPointF>& corners) {
  Border const& border = scene.cards.borders[edge];
  auto const& points = border.points;
  QPen pen = edge_pen(scene, edge);
  double pixel = scene.pixel();
  double wide = std::max(1.0, std::round(pen.widthF() / pixel)) * pixel;
  pen.setWidthF(wide);
  double round = border.skips ? kSkipCorner : kCorner;
  if (pen.style() != Qt::SolidLine || int(edge) == scene.edge) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.strokePath(rounded(points, round), pen);
    return painter.setRenderHint(QPainter::Antialiasing, false);
  }
  QPointF from = points[0];
  for (size_t i = 1; i < points.size(); ++i) {
    QPointF to = points[i], next = to;
    double cut = i + 1 < points.size() ? cut_of(points, i, round) : 0;
    if (cut > 0) {
      QPointF along = points[i] - points[i - 1], on = points[i + 1] - points[i];
      to -= along * (cut / (std::abs(along.x()) + std::abs(along.y())));
      next += on * (cut / (std::abs(on.x()) + std::abs(on.y())));
      corners.insert(corners.end(), {to, points[i], next});
    }
    QRectF line = QRectF(from, to).normalized();
    painter.fillRect(line.adjusted(-wide / 2, -wide / 2, wide / 2, wide / 2), pen.color());
    from = next;
  }
}

void paint_corners(QPainter& painter, GraphScene const& scene,
                   std::vector<QPointF> const& corners) {
  QPainterPath path;
  for (size_t i = 0; i + 2 < corners.size(); i += 3) {
    if (!scene.seen.contains(corners[i + 1])) continue;
    path.moveTo(corners[i]);
    path.quadTo(corners[i + 1], corners[i + 2]);
  }
  double pixel = scene.pixel();
  double wide = std::max(1.0, std::round(1.5 / pixel)) * pixel;
  painter.strokePath(path, QPen(scene.theme.line3, wide));
}

/// A disc with a broken link where fusion left two apart, with a whole one where it joined them.
void paint_link(QPainter& painter, GraphScene const& scene, size_t edge) {
  Border const& border = scene.cards.borders[edge];
  QPointF mid = border.mark;
  bool chosen = int(edge) == scene.edge;
  painter.setPen(edge_pen(scene, edge));
  painter.setBrush(chosen ? scene.theme.panel : scene.theme.inset);
  double disc = chosen ? 10 : 7.5, size = disc / 2;
  painter.drawEllipse(mid, disc, disc);
  if (border.verdict->fused)
    return painter.drawLine(mid + QPointF(0, -size), mid + QPointF(0, size));
  QLineF lines[4];
  for (int i = 0; i < 4; ++i) {
    QPointF out(i % 2 ? 1 : -1, i < 2 ? 1 : -1);
    lines[i] = QLineF(mid + out * size * 0.4, mid + out * size);
  }
  painter.drawLines(lines, 4);
}

/// The shape of what passes, and what fusion said of the edge; nothing where it did not judge.
void paint_mark(QPainter& painter, GraphScene const& scene, size_t edge) {
  Border const& border = scene.cards.borders[edge];
  if (!border.box.intersects(scene.seen)) return;
  if (border.verdict) paint_link(painter, scene, edge);
  if (border.label.isEmpty()) return;
  // Above a line that runs sideways, beside one that runs down.
  QString shape = paint::shape(border.edge->shape);
  QRectF place = border.label;
  QFont font = mono_font(11);
  if (scene.cut.is_crossed_by(border)) {
    shape += QStringLiteral(" · ") + paint::bytes(border.edge->bytes);
    place.setWidth(QFontMetricsF(font).horizontalAdvance(shape) + 2);
  }
  if (!place.intersects(scene.seen)) return;
  painter.fillRect(place, scene.theme.inset);
  paint::text(painter, place, font, scene.theme.text3, shape);
}

}  // namespace

void paint_edges(QPainter& painter, GraphScene const& scene) {
  auto is_seen = [&](Border const& border) {
    return border.points.size() >= 2 && border.box.intersects(scene.seen);
  };
  // They run along the axes: to smooth them takes half of a large picture's time, and shows
  // nothing.
  painter.setRenderHint(QPainter::Antialiasing, false);
  std::vector<QPointF> corners;
  for (size_t e = 0; e < scene.cards.borders.size(); ++e)
    if (is_seen(scene.cards.borders[e])) paint_line(painter, scene, e, corners);
  painter.setRenderHint(QPainter::Antialiasing);
  paint_corners(painter, scene, corners);
  for (size_t e = 0; e < scene.cards.borders.size(); ++e) {
    if (!is_seen(scene.cards.borders[e])) continue;
    painter.setPen(edge_pen(scene, e));
    QPointF end = scene.cards.borders[e].points.back();
    painter.drawLine(end, end + QPointF(-5, -6));
    painter.drawLine(end, end + QPointF(5, -6));
  }
  // Above all lines, so that none runs through a shape's digits.
  for (size_t e = 0; e < scene.cards.borders.size(); ++e)
    if (scene.cards.borders[e].points.size() >= 2) paint_mark(painter, scene, e);
}

}  // namespace tw
