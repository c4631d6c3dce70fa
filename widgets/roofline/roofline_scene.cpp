// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/roofline/roofline_scene.h"

#include <algorithm>
#include <cmath>

#include "widgets/paint/paint.h"

namespace tw {

/// Both ends are where they are for most machines, farther where something is.
void RooflineScene::fit_axes() {
  double top = 0, bottom = 1, most = std::exp2(8);
  auto take = [&](session::RooflinePoint const& point) {
    bottom = std::min(bottom, point.gflops);
    most = std::max(most, 1.4 * point.intensity);
    for (auto const& level : point.levels) most = std::max(most, 1.4 * level.intensity);
  };
  if (roofline) {
    for (auto const& roof : roofline->roofs)
      if (roof.compute) {
        double then = if_value(roof).value_or(roof.value);
        top = std::max({top, roof.value, then});
        bottom = std::min({bottom, roof.value, then});
      }
    for (auto const& point : roofline->trail) take(point);
    if (hypothetical && !layers)
      for (auto const& point : hypothetical->trail) take(point.then);
  }
  if (layers)
    for (auto const& layer : layers->layers) {
      if (!layer.missing.empty()) continue;
      take(point_of(layer));
      if (auto const* known = baseline_of(layer))
        bottom = std::min(bottom, layer.operations / *known->before_ms * 1e-6);
      if (layer.serial) take(*layer.serial);
    }
  high_x = std::min(16.0, std::ceil(std::log2(most) / 2) * 2);
  high_y = std::log10((top > 0 ? top : 100) * 2.2);
  low_y = std::floor(std::log10(std::max(bottom * 0.7, 1e-3)) * 2) / 2;
}

QString RooflineScene::unit() const {
  if (roofline)
    for (auto const& roof : roofline->roofs)
      if (roof.compute) return QString::fromStdString(session::unit_of(roof));
  return roofline ? QString::fromStdString(roofline->unit) : QStringLiteral("GFLOP/s");
}

QString RooflineScene::operations() const { return unit() == "GOP/s" ? "operations" : "FLOP"; }

QPointF RooflineScene::place(session::RooflinePoint const& point) const {
  return position(point.intensity, std::max(point.gflops, 1e-3));
}

QRectF RooflineScene::plot() const {
  return QRectF(52, 30, std::max(120.0, canvas.unit_width() - 52 - 112),
                std::max(80.0, canvas.unit_height() - 30 - 44));
}

QPointF RooflineScene::position(double intensity, double gflops) const {
  QRectF area = plot();
  double x = (std::log2(intensity) - low_x) / (high_x - low_x),
         y = (std::log10(gflops) - low_y) / (high_y - low_y);
  return {area.left() + area.width() * std::clamp(x, 0.0, 1.0),
          area.bottom() - area.height() * std::clamp(y, 0.0, 1.0)};
}

/// A step at every memory level: at what it computes for each byte that moves there. Those of the
/// current step are solid.
std::vector<LevelDiamond> RooflineScene::diamonds(session::RooflinePoint const& point) const {
  std::vector<LevelDiamond> places;
  for (size_t i = 0; i < point.levels.size(); ++i)
    if (point.levels[i].intensity > 0)
      places.push_back({position(point.levels[i].intensity, std::max(point.gflops, 1e-3)),
                        canvas.theme().levels[std::min<size_t>(i, 3)], point.current});
  return places;
}

std::vector<LevelDiamond> RooflineScene::all_diamonds() const {
  std::vector<LevelDiamond> all;
  for (auto const& point : roofline->trail)
    if (point.current || all_levels)
      for (LevelDiamond const& one : diamonds(point)) all.push_back(one);
  return all;
}

std::vector<Part> RooflineScene::parts() const {
  std::vector<Part> parts;
  if (!roofline) return parts;
  for (size_t step = 0; step < roofline->trail.size(); ++step) {
    session::RooflinePoint const& point = roofline->trail[step];
    QString words = QString("%1 %2 at %3 %4 per byte")
                        .arg(QString::fromStdString(point.label), unit(),
                             paint::number(point.intensity), operations());
    if (auto arrow = step > 0 ? arrow_to(step) : std::nullopt)
      words += ", " + tw::words_of(*arrow, "the step before");
    parts.push_back({QRectF(place(point) - QPointF(8, 8), QSizeF(16, 16)), words, point.current});
  }
  for (size_t move = 0; move < drawn_moves(); ++move)
    parts.push_back({QRectF(*place_of_move(move) - QPointF(6, 6), QSizeF(12, 12)),
                     "next: " + QString::fromStdString(moves->moves[move].effect)});
  if (!layers && baseline)
    parts.push_back({QRectF(place(*baseline) - QPointF(9, 9), QSizeF(18, 18)),
                     "baseline: " + QString::fromStdString(baseline->label)});
  for (Part& part : if_parts()) parts.push_back(std::move(part));
  if (!layers) return parts;
  for (auto const& layer : layers->layers) {
    if (!layer.missing.empty()) continue;
    double radius = radius_of(layer);
    parts.push_back(
        {QRectF(place(point_of(layer)) - QPointF(radius, radius), 2 * QSizeF(radius, radius)),
         words_of(layer), layer.kernel == (pointed >= 0 ? pointed : marked)});
  }
  return parts;
}

}  // namespace tw
