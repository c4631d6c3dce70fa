// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/graph_camera.h"

#include <algorithm>

#include "widgets/graph/graph_layout.h"
#include "widgets/paint/canvas.h"

namespace tw {
namespace {

constexpr double kLeastScale = 0.02, kMostScale = 2.5;
constexpr double kAround = 48;       // of a fitted graph, at both sides together
constexpr double kLeastCanvas = 50;  // of a smaller one nothing can be fitted

QPointF middle(Canvas const& canvas) {
  return QPointF(canvas.unit_width(), canvas.unit_height()) / 2;
}

}  // namespace

QRectF GraphCamera::seen() const {
  return {to_graph({0, 0}), to_graph(QPointF(canvas_.unit_width(), canvas_.unit_height()))};
}

bool GraphCamera::is_near() const { return scale_ * canvas_.unit() >= graph::kReadable; }

bool GraphCamera::shows(QRectF const& box) const {
  return canvas_.unit_rect().adjusted(8, 8, -8, -8 - below_).contains(to_canvas(box));
}

bool GraphCamera::shows_all() const {
  graph::Cards const* cards = layout_.cards();
  return layout_.is_laid_out() && shows(QRectF(0, 0, cards->width, cards->height));
}

QSizeF GraphCamera::room() const {
  if (canvas_.unit_width() < kLeastCanvas || canvas_.unit_height() < kLeastCanvas) return {};
  return {canvas_.unit_width() - kAround, canvas_.unit_height() - below_ - kAround};
}

double GraphCamera::fit_scale() const {
  QSizeF size = room();
  graph::Cards const* cards = layout_.cards();
  if (!layout_.is_laid_out() || !size.isValid()) return 0;
  double wide = size.width() / std::max(cards->width, 1.0);
  double high = size.height() / std::max(cards->height, 1.0);
  return std::clamp(std::min(wide, high), kLeastScale, 1.0);
}

void GraphCamera::look_at(double scale, QPointF origin) {
  scale_ = std::clamp(scale, kLeastScale, kMostScale);
  origin_ = origin;
  fitted_ = moved_ = true;
  emit changed();
}

void GraphCamera::look_from_above(double scale) {
  if (!layout_.is_laid_out()) return;
  moved_ = false;
  scale_ = scale;
  origin_ = QPointF((canvas_.unit_width() - layout_.cards()->width * scale_) / 2, 24);
  fitted_ = true;
  emit changed();
}

void GraphCamera::look_first() {
  if (!layout_.is_laid_out() || canvas_.unit_width() < kLeastCanvas) return;
  double least = std::min(1.0, graph::kReadable / canvas_.unit() * 1.01);
  double wide = (canvas_.unit_width() - kAround) / std::max(layout_.cards()->width, 1.0);
  look_from_above(std::clamp(wide, least, 1.0));
}

void GraphCamera::bring_into_view(QRectF const& box) {
  if (shows(box)) return;
  origin_ = middle(canvas_) - box.center() * scale_;
  moved_ = true;
  emit changed();
}

void GraphCamera::bring_into_view(QRectF const& box, QWidget const& bar) {
  if (bar.isVisible() && canvas_.pixels(to_canvas(box)).intersects(bar.geometry()))
    look_at(scale_, middle(canvas_) - box.center() * scale_);
  else
    bring_into_view(box);
}

void GraphCamera::keep_in_place(QRectF const& stood, QRectF const& stands) {
  origin_ += (stood.topLeft() - stands.topLeft()) * scale_;
  moved_ = true;
}

void GraphCamera::moved_by_user() {
  moved_ = true;
  emit changed();
  emit looked();
}

void GraphCamera::move_to(QPointF origin) {
  origin_ = origin;
  moved_by_user();
}

void GraphCamera::centre_on(QPointF place) { move_to(middle(canvas_) - place * scale_); }

void GraphCamera::zoom(double factor, QPointF around) {
  QPointF place = to_graph(around);
  scale_ = std::clamp(scale_ * factor, kLeastScale, kMostScale);
  move_to(around - place * scale_);
}

bool GraphCamera::press(QKeyEvent const& event) {
  switch (event.key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      zoom(1.15, middle(canvas_));
      return true;
    case Qt::Key_Minus:
      zoom(1 / 1.15, middle(canvas_));
      return true;
    case Qt::Key_0:
      emit fit_typed();
      return true;
    default:
      return false;
  }
}

void GraphCamera::go_back(Place const& place) {
  scale_ = place.scale;
  origin_ = place.origin;
  moved_ = place.moved;
  emit changed();
}

}  // namespace tw
