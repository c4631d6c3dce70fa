// SPDX-License-Identifier: GPL-3.0-or-later
// The kernels of a model below the roofs, as large as their shares of the time; joined with where
// they would be if nothing hid latency. And the state that others are compared with.
#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/support/base/quantities.h"
#include "widgets/paint/marks.h"
#include "widgets/paint/paint.h"
#include "widgets/roofline/roofline_paint.h"

namespace tw {

session::RooflinePoint RooflineScene::point_of(session::LayerPoint const& layer) const {
  session::RooflinePoint point = layer.by_rule;
  bool known = table && layer.kernel >= 0 && size_t(layer.kernel) < table->rows.size();
  if (!known) return point;
  session::KernelRow const& row = table->rows[size_t(layer.kernel)];
  if (!row.time_ms || *row.time_ms <= 0 || !row.device.empty()) return point;
  point.measured = true;
  point.gflops = layer.operations / *row.time_ms * 1e-6;
  return point;
}

namespace {

double ms_of(session::LayerPoint const& layer, session::RooflinePoint const& point) {
  return point.gflops > 0 ? layer.count * layer.operations / point.gflops * 1e-6 : 0;
}

}  // namespace

double RooflineScene::share_of(session::LayerPoint const& layer) const {
  double all = 0;
  for (session::LayerPoint const& one : layers->layers)
    if (one.missing.empty()) all += ms_of(one, point_of(one));
  return all > 0 ? ms_of(layer, point_of(layer)) / all : 0;
}

/// Areas are shares; the smallest can still be hit.
double RooflineScene::radius_of(session::LayerPoint const& layer) const {
  return 3.5 + 14 * std::sqrt(share_of(layer));
}

std::vector<session::LayerPoint const*> RooflineScene::placed_layers() const {
  std::vector<session::LayerPoint const*> placed;
  for (size_t i = 0; layers && i < layers->layers.size(); ++i)
    if (layers->layers[i].missing.empty()) placed.push_back(&layers->layers[i]);
  std::ranges::stable_sort(placed, {}, [&](auto const* one) { return place(point_of(*one)).x(); });
  return placed;
}

/// The nearest one: points may lie in one another.
session::LayerPoint const* RooflineScene::layer_at(QPointF at) const {
  session::LayerPoint const* nearest = nullptr;
  double best = 0;
  for (session::LayerPoint const* one : placed_layers()) {
    double away = QLineF(place(point_of(*one)), at).length();
    if (away > std::max(8.0, radius_of(*one)) || (nearest && away >= best)) continue;
    nearest = one;
    best = away;
  }
  return nearest;
}

QString RooflineScene::words_of(session::LayerPoint const& layer) const {
  auto percent = [&](session::RooflinePoint const& point) {
    return QString::fromStdString(
        percent_text(layer.of_peak * point.gflops / layer.by_rule.gflops));
  };
  session::RooflinePoint point = point_of(layer);
  double ms = ms_of(layer, point) / std::max(layer.count, 1);
  QString words = QString("%1: %2 %3 at %4 %5 per byte, %6 of peak, %7, %8, %9 of the model's time")
                      .arg(QString::fromStdString(layer.name), paint::number(point.gflops), unit(),
                           paint::number(layer.by_rule.intensity), operations(), percent(point),
                           paint::time(ms), point.measured ? "measured" : "modelled",
                           QString::fromStdString(percent_text(share_of(layer))));
  if (layer.serial)
    words += QString("; without hiding latency %1 of peak, %2")
                 .arg(percent(*layer.serial), paint::time(layer.serial->model_ms));
  if (auto arrow = arrow_to(layer))
    words += "; " + tw::words_of(*arrow, "its baseline, " +
                                             QString::fromStdString(baseline_of(layer)->before));
  return words;
}

/// Hollow where it is modelled, solid where it was measured.
void paint_layer(QPainter& painter, RooflineScene const& scene, session::LayerPoint const& layer,
                 bool marked) {
  session::RooflinePoint point = scene.point_of(layer);
  QPointF at = scene.place(point);
  double radius = scene.radius_of(layer);
  QColor colour = marked ? scene.canvas.theme().ink : scene.canvas.theme().text2;
  painter.setPen(QPen(colour, 1.5));
  if (layer.serial) {
    QPointF from = scene.place(*layer.serial);
    painter.drawLine(from, at);
    painter.setBrush(scene.canvas.theme().inset);
    painter.drawEllipse(from, 2.5, 2.5);
  }
  if (auto arrow = scene.arrow_to(layer)) {
    painter.setBrush(colour);
    painter.drawEllipse(arrow->line.p1(), 2, 2);
    paint_arrow(painter, arrow->line.p1(), arrow->line.p2(), arrow->before, arrow->after);
  }
  // What lies below is seen through it.
  QColor fill = point.measured ? colour : scene.canvas.theme().inset;
  fill.setAlphaF(point.measured ? 0.75f : 0.6f);
  painter.setBrush(fill);
  painter.drawEllipse(at, radius, radius);
  painter.setBrush(Qt::NoBrush);
  if (marked) painter.drawEllipse(at, radius + 4, radius + 4);
  if (layer.kernel == scene.pointed && scene.canvas.hasFocus())
    paint::focus_ring(painter, QRectF(at - QPointF(radius, radius), 2 * QSizeF(radius, radius)),
                      scene.canvas.theme(), radius);
}

void paint_layers(QPainter& painter, RooflineScene const& scene) {
  if (!scene.layers) return;
  std::vector<session::LayerPoint const*> placed = scene.placed_layers();
  // The largest lie below, the open kernel and the one that is pointed at on top.
  auto rank = [&](session::LayerPoint const* one) {
    return one->kernel == scene.pointed  ? -2.0
           : one->kernel == scene.marked ? -1.0
                                         : scene.radius_of(*one);
  };
  std::ranges::stable_sort(placed, std::greater<>(), rank);
  std::vector<QRectF> taken{scene.if_card()};
  for (session::LayerPoint const* one : placed) {
    paint_layer(painter, scene, *one, one->kernel == scene.marked);
    QPointF at = scene.place(scene.point_of(*one));
    double radius = scene.radius_of(*one);
    taken.emplace_back(at - QPointF(radius, radius), 2 * QSizeF(radius, radius));
    if (one->serial) taken.emplace_back(scene.place(*one->serial) - QPointF(4, 4), QSizeF(8, 8));
  }
  // What takes most of the time is named first.
  std::ranges::stable_sort(placed, std::less<>(), [&](session::LayerPoint const* one) {
    double first = rank(one);
    return first < 0 ? first : 1 - scene.share_of(*one);
  });
  std::vector<PointLabel> labels;
  for (session::LayerPoint const* one : placed) {
    double of_peak = one->of_peak * scene.point_of(*one).gflops / one->by_rule.gflops;
    labels.push_back({scene.place(scene.point_of(*one)),
                      QString::fromStdString(one->name + " " + percent_text(of_peak)),
                      one->kernel == scene.marked || one->kernel == scene.pointed,
                      scene.radius_of(*one)});
  }
  paint_labels(painter, scene, labels, taken);
  paint_gains(painter, scene, taken);
}

/// The state that the others are compared with: a ring of dashes and a flag, a point of its own
/// where the trail does not lead over it.
void paint_baseline(QPainter& painter, RooflineScene const& scene) {
  if (!scene.baseline || scene.layers) return;
  QPointF at = scene.place(*scene.baseline);
  auto on_trail = std::ranges::count(scene.roofline->trail, scene.baseline->history_node,
                                     &session::RooflinePoint::history_node);
  painter.setPen(QPen(scene.canvas.theme().text1, 1.5));
  if (on_trail == 0) {
    painter.setBrush(scene.baseline->measured ? scene.canvas.theme().text2
                                              : scene.canvas.theme().inset);
    painter.drawEllipse(at, 4.5, 4.5);
  }
  painter.setPen(QPen(scene.canvas.theme().text1, 1.5, Qt::DashLine));
  painter.setBrush(Qt::NoBrush);
  painter.drawEllipse(at, 9, 9);
  paint::flag(painter, at + QPointF(6, -7), scene.canvas.theme().text1);
}

}  // namespace tw
