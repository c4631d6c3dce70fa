// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/paint/marks.h"

#include <cmath>
#include <numbers>

namespace tw::paint {

void flag(QPainter& painter, QPointF foot, QColor const& colour) {
  painter.save();
  painter.setPen(QPen(colour, 1.5));
  painter.drawLine(foot, foot - QPointF(0, 12));
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  painter.drawPolygon(
      QPolygonF({foot + QPointF(0, -12), foot + QPointF(9, -9), foot + QPointF(0, -6)}));
  painter.restore();
}

void star(QPainter& painter, QPointF centre, double radius, QColor const& colour) {
  QPolygonF points;
  for (int i = 0; i < 10; ++i) {
    double angle = std::numbers::pi * (i / 5.0 - 0.5), r = i % 2 == 0 ? radius : radius * 0.42;
    points << centre + r * QPointF(std::cos(angle), std::sin(angle));
  }
  painter.save();
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  painter.drawPolygon(points);
  painter.restore();
}

void sort_sign(QPainter& painter, QPointF centre, bool down, QColor const& colour) {
  double tip = down ? 2.5 : -2.5;
  painter.save();
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  painter.drawPolygon(
      QPolygonF({centre + QPointF(-4, -tip), centre + QPointF(4, -tip), centre + QPointF(0, tip)}));
  painter.restore();
}

}  // namespace tw::paint
