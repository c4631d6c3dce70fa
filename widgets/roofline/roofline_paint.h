// SPDX-License-Identifier: GPL-3.0-or-later
/// How a roofline is painted, part by part.
#pragma once

#include <QPainter>
#include <vector>

#include "widgets/roofline/roofline_scene.h"

namespace tw {

void paint_axes(QPainter& painter, RooflineScene const& scene);
/// Of a roofline that is there: all but its axes.
void paint_roofline(QPainter& painter, RooflineScene const& scene);

struct PointLabel {
  QPointF at;
  QString words;
  bool strong = false;
  double radius = 0;  ///< of its point
};
/// The first ones get a place that nothing takes, or none.
void paint_labels(QPainter& painter, RooflineScene const& scene,
                  std::vector<PointLabel> const& labels, std::vector<QRectF>& taken);
/// With the painter's pen. The others: as in `RooflineArrow`.
void paint_arrow(QPainter& painter, QPointF from, QPointF to, double before = 13, double after = 8,
                 double bow = 0);
void paint_trail_lines(QPainter& painter, RooflineScene const& scene);
void paint_gains(QPainter& painter, RooflineScene const& scene, std::vector<QRectF>& taken);
// The kernels of a model, and what others are compared with.
void paint_layers(QPainter& painter, RooflineScene const& scene);
void paint_baseline(QPainter& painter, RooflineScene const& scene);
// Where steps would lead.
void paint_moves(QPainter& painter, RooflineScene const& scene);
void paint_outlook(QPainter& painter, RooflineScene const& scene);
// A machine that is not there.
QPen if_pen(Theme const& theme);
void paint_if_roofs(QPainter& painter, RooflineScene const& scene);
void paint_if_points(QPainter& painter, RooflineScene const& scene);
void paint_if_words(QPainter& painter, RooflineScene const& scene);

}  // namespace tw
