// SPDX-License-Identifier: GPL-3.0-or-later
// From one version to the next: arrows between what was measured, or between what is modelled, with
// how many times as fast the newer one is.
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "widgets/paint/paint.h"
#include "widgets/paint/ratio_words.h"
#include "widgets/roofline/roofline_paint.h"

namespace tw {
namespace {

constexpr double kHead = 7, kUpright = 20, kMostBow = 24;

/// One way or the other: more than what a time repeats to.
bool is_gain(double times) { return paint::times_as_fast(times) != paint::times_as_fast(1); }

/// Across a line, to the right of who goes along it upwards.
QPointF across(QLineF const& line) {
  return QPointF(-line.dy(), line.dx()) / std::max(line.length(), 1e-6);
}

/// Both ends of an arrow are points, which no box of words covers.
bool crosses(RooflineArrow const& arrow, QRectF const& box) {
  constexpr int kPieces = 8;
  auto at = [&](int piece) {
    double along = double(piece) / kPieces;
    return arrow.line.pointAt(along) + 4 * along * (1 - along) * arrow.bow * across(arrow.line);
  };
  for (int piece = 0; piece < kPieces; ++piece)
    for (QLineF const& diagonal :
         {QLineF(box.topLeft(), box.bottomRight()), QLineF(box.topRight(), box.bottomLeft())})
      if (QLineF(at(piece), at(piece + 1)).intersects(diagonal, nullptr) ==
          QLineF::BoundedIntersection)
        return true;
  return false;
}

/// That a step takes of an arrow: the current one has a ring.
double space_of(session::RooflinePoint const& point) { return point.current ? 13 : 7; }

}  // namespace

void paint_arrow(QPainter& painter, QPointF from, QPointF to, double before, double after,
                 double bow) {
  QLineF line(from, to);
  if (line.length() < before + after) return;
  QPointF bend = line.center() + 2 * bow * across(line);
  auto toward_bend = [&](QPointF end, double by) {
    return QLineF(end, bend).pointAt(by / QLineF(end, bend).length());
  };
  QPointF tip = toward_bend(to, after);  // the head stands before the ring
  QPainterPath path(toward_bend(from, before));
  path.quadTo(bend, tip);
  painter.strokePath(path, painter.pen());
  QPointF back = (bend - tip) / QLineF(bend, tip).length() * kHead,
          side(-back.y() / 2, back.x() / 2);
  painter.drawPolyline(QPolygonF({tip + back + side, tip, tip + back - side}));
}

/// A measured time says nothing against a modelled one. Many steps move as many bytes as the one
/// before: such arrows, up and down, would lie on each other, so each has a bow to its right.
std::optional<RooflineArrow> RooflineScene::arrow_to(size_t step) const {
  session::RooflinePoint const &from = roofline->trail[step - 1], &to = roofline->trail[step];
  if (from.measured != to.measured || from.gflops <= 0 || to.gflops <= 0) return std::nullopt;
  QLineF line(place(from), place(to));
  double bow = std::abs(line.dx()) < kUpright ? std::min(kMostBow, 0.08 * line.length()) : 0;
  return RooflineArrow{line, to.gflops / from.gflops, space_of(from), space_of(to), bow};
}

session::KernelDifference const* RooflineScene::baseline_of(
    session::LayerPoint const& layer) const {
  auto found = std::ranges::find(baselines, layer.kernel, &session::KernelDifference::kernel);
  return found == baselines.end() || found->before_ms.value_or(0) <= 0 ? nullptr : &*found;
}

/// At the operations per byte that the kernel has by rule, as its point stands there, too.
std::optional<RooflineArrow> RooflineScene::arrow_to(session::LayerPoint const& layer) const {
  session::RooflinePoint now = point_of(layer), before = now;
  session::KernelDifference const* known = baseline_of(layer);
  if (!known || !layer.missing.empty() || !now.measured || now.gflops <= 0) return std::nullopt;
  before.gflops = layer.operations / *known->before_ms * 1e-6;
  return RooflineArrow{
      {place(before), place(now)}, now.gflops / before.gflops, 4, radius_of(layer) + 3, 0};
}

std::vector<RooflineArrow> RooflineScene::arrows() const {
  std::vector<RooflineArrow> all;
  auto add = [&](std::optional<RooflineArrow> const& arrow) {
    if (arrow) all.push_back(*arrow);
  };
  for (size_t step = 1; roofline && step < roofline->trail.size(); ++step) add(arrow_to(step));
  for (session::LayerPoint const* layer : placed_layers()) add(arrow_to(*layer));
  return all;
}

/// "2.31× faster than the step before".
QString words_of(RooflineArrow const& arrow, QString const& before) {
  QString words = paint::change_words(1 / arrow.times, true);
  return (is_gain(arrow.times) ? words + " than " : QStringLiteral("as fast as ")) + before;
}

/// Dots join what has another kind of time.
void paint_trail_lines(QPainter& painter, RooflineScene const& scene) {
  for (size_t step = 1; step < scene.roofline->trail.size(); ++step) {
    std::optional<RooflineArrow> arrow = scene.arrow_to(step);
    QLineF line(scene.place(scene.roofline->trail[step - 1]),
                scene.place(scene.roofline->trail[step]));
    painter.setPen(arrow ? QPen(scene.canvas.theme().text2, 1.5)
                         : QPen(scene.canvas.theme().text3, 1, Qt::DotLine));
    if (!arrow || line.length() < arrow->before + arrow->after + kHead)
      painter.drawLine(line);  // no room for a head
    else
      paint_arrow(painter, line.p1(), line.p2(), arrow->before, arrow->after, arrow->bow);
  }
}

/// Beside the middle of each arrow, where nothing else stands and no arrow passes: history and a
/// word where one points have it, too.
void paint_gains(QPainter& painter, RooflineScene const& scene, std::vector<QRectF>& taken) {
  constexpr double kAway = 3, kTall = 16;
  QFont font = ui_font(11, 600);
  std::vector<RooflineArrow> const all = scene.arrows();
  auto is_free = [&](QRectF const& box) {
    return scene.plot().contains(box) &&
           std::ranges::none_of(taken, [&](QRectF const& one) { return one.intersects(box); }) &&
           std::ranges::none_of(all, [&](RooflineArrow const& one) { return crosses(one, box); });
  };
  for (RooflineArrow const& arrow : all) {
    QString words = paint::times_as_fast(arrow.times);
    double length = arrow.line.length(), wide = QFontMetricsF(font).horizontalAdvance(words) + 4;
    if (!is_gain(arrow.times) || length < arrow.before + arrow.after + kHead) continue;
    QPointF side = across(arrow.line);
    double half = std::abs(side.x()) * wide / 2 + std::abs(side.y()) * kTall / 2 + kAway;
    for (auto [along, away] : {std::pair(0.5, arrow.bow + half),
                               {0.5, -half},
                               {0.35, arrow.bow + half},
                               {0.35, -half},
                               {0.65, arrow.bow + half},
                               {0.65, -half}}) {
      QPointF middle = arrow.line.pointAt(along) + away * side;
      QRectF box(middle - QPointF(wide, kTall) / 2, QSizeF(wide, kTall));
      if (!is_free(box)) continue;
      taken.push_back(box);
      paint::text(painter, box, font, scene.canvas.theme().text1, words, Qt::AlignCenter);
      break;
    }
  }
}

}  // namespace tw
