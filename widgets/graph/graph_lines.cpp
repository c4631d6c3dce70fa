// SPDX-License-Identifier: GPL-3.0-or-later
// Lines between cards, near enough to be told apart: orthogonal with round corners, open arrow
// heads, and what passes.
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "widgets/graph/graph_view.h"
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

}  // namespace

void GraphView::draw_edges(QPainter& painter, QRectF const& seen) const {
  auto is_seen = [&](Border const& border) {
    return border.points.size() >= 2 && border.box.intersects(seen);
  };
  // They run along the axes: to smooth them takes half of a large picture's time, and shows
  // nothing.
  painter.setRenderHint(QPainter::Antialiasing, false);
  std::vector<QPointF> corners;
  for (size_t e = 0; e < made_->borders.size(); ++e)
    if (is_seen(made_->borders[e])) draw_line(painter, e, corners);
  painter.setRenderHint(QPainter::Antialiasing);
  draw_corners(painter, seen, corners);
  for (size_t e = 0; e < made_->borders.size(); ++e) {
    if (!is_seen(made_->borders[e])) continue;
    painter.setPen(edge_pen(e));
    QPointF end = made_->borders[e].points.back();
    painter.drawLine(end, end + QPointF(-5, -6));
    painter.drawLine(end, end + QPointF(5, -6));
  }
  // Above all lines, so that none runs through a shape's digits.
  for (size_t e = 0; e < made_->borders.size(); ++e)
    if (made_->borders[e].points.size() >= 2) draw_mark(painter, seen, e);
}

/// In whole pixels: one that is neither one nor two would be now this, now that. Its corners are
/// left out where it is an ordinary one, and are drawn with all others'.
void GraphView::draw_line(QPainter& painter, size_t edge, std::vector<QPointF>& corners) const {
  Border const& border = made_->borders[edge];
  auto const& points = border.points;
  QPen pen = edge_pen(edge);
  double pixel = 1 / (scale_ * unit());
  double wide = std::max(1.0, std::round(pen.widthF() / pixel)) * pixel;
  pen.setWidthF(wide);
  double round = border.skips ? kSkipCorner : kCorner;
  if (pen.style() != Qt::SolidLine || int(edge) == chosen_edge_) {
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

void GraphView::draw_corners(QPainter& painter, QRectF const& seen,
                             std::vector<QPointF> const& corners) const {
  QPainterPath path;
  for (size_t i = 0; i + 2 < corners.size(); i += 3) {
    if (!seen.contains(corners[i + 1])) continue;
    path.moveTo(corners[i]);
    path.quadTo(corners[i + 1], corners[i + 2]);
  }
  double pixel = 1 / (scale_ * unit());
  double wide = std::max(1.0, std::round(1.5 / pixel)) * pixel;
  painter.strokePath(path, QPen(theme_.line3, wide));
}

QPen GraphView::edge_pen(size_t edge) const {
  bool chosen = int(edge) == chosen_edge_;
  Border const& border = made_->borders[edge];
  if (!chosen && goes_over(border)) {
    int from = place_of(made_->cards[size_t(border.from)]);
    int to = place_of(made_->cards[size_t(border.to)]);
    return QPen(place_colour(std::max(from, to)), 2.5, Qt::DashLine);
  }
  return QPen(chosen ? theme_.ink : theme_.line3, chosen ? 2 : 1.5);
}

/// A disc with a broken link where fusion left two apart, with a whole one where it joined them.
void GraphView::draw_link(QPainter& painter, size_t edge) const {
  Border const& border = made_->borders[edge];
  QPointF mid = border.mark;
  bool chosen = int(edge) == chosen_edge_;
  painter.setPen(edge_pen(edge));
  painter.setBrush(chosen ? theme_.panel : theme_.inset);
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
void GraphView::draw_mark(QPainter& painter, QRectF const& seen, size_t edge) const {
  Border const& border = made_->borders[edge];
  if (!border.box.intersects(seen)) return;
  if (border.verdict) draw_link(painter, edge);
  if (border.label.isEmpty()) return;
  // Above a line that runs sideways, beside one that runs down.
  QString shape = paint::shape(border.edge->shape);
  QRectF place = border.label;
  QFont font = mono_font(11);
  if (goes_over(border)) {
    shape += QStringLiteral(" · ") + paint::bytes(border.edge->bytes);
    place.setWidth(QFontMetricsF(font).horizontalAdvance(shape) + 2);
  }
  if (!place.intersects(seen)) return;
  painter.fillRect(place, theme_.inset);
  paint::text(painter, place, font, theme_.text3, shape);
}

}  // namespace tw
