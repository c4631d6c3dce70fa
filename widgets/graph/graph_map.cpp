// SPDX-License-Identifier: GPL-3.0-or-later
// The whole of a graph that does not fit, in a corner, with the part that is seen.
#include <QPainter>
#include <algorithm>

#include "widgets/graph/graph_view.h"

namespace tw {

namespace {

constexpr double kMapWidth = 168, kMapHeight = 128, kMapGap = 12;

}  // namespace

/// Empty: all of the graph can be seen.
QRectF GraphView::map_rect() const {
  if (!laid_out()) return {};
  QRectF whole(origin_, QSizeF(made_->width, made_->height) * scale_);
  if (unit_rect().adjusted(-1, -1, 1, 1).contains(whole)) return {};
  double scale = std::min(kMapWidth / made_->width, kMapHeight / made_->height);
  QSizeF size(std::max(24.0, made_->width * scale + 8), std::max(24.0, made_->height * scale + 8));
  double top = kMapGap + (bar_->isVisible() ? units(QPointF(0, bar_->height())).y() + kMapGap : 0);
  if (size.width() > unit_width() / 3 || size.height() + top > unit_height() * 0.7) return {};
  return {unit_width() - size.width() - kMapGap, top, size.width(), size.height()};
}

/// From the graph's coordinates to the map's.
QTransform GraphView::to_map() const {
  QRectF map = map_rect();
  double scale = std::min((map.width() - 8) / made_->width, (map.height() - 8) / made_->height);
  QTransform transform;
  transform.translate(map.center().x() - made_->width * scale / 2,
                      map.center().y() - made_->height * scale / 2);
  return transform.scale(scale, scale);
}

/// Cards do not change until they are laid out again: they are kept as a picture.
void GraphView::draw_map(QPainter& painter) {
  QRectF map = map_rect();
  if (map.isEmpty()) return;
  QTransform there = to_map();
  double ratio = unit() * devicePixelRatioF();
  QSize size = (map.size() * ratio).toSize();
  if (map_of_ != made_.get() || map_.size() != size) {
    map_of_ = made_.get();
    map_ = QImage(size, QImage::Format_RGB32);
    map_.fill(theme_.panel);
    QPainter cards(&map_);
    cards.scale(ratio, ratio);
    cards.translate(-map.topLeft());
    for (graph::Card const& card : made_->cards) {
      QRectF box = there.mapRect(card.box);
      box.setSize(QSizeF(std::max(1.0, box.width()), std::max(1.0, box.height())));
      cards.fillRect(box, theme_.text3);
    }
  }
  painter.drawImage(map, map_);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme_.line2, 1));
  painter.drawRoundedRect(map, 4, 4);
  QRectF seen(to_scene({0, 0}), to_scene(QPointF(unit_width(), unit_height())));
  painter.setPen(QPen(theme_.ink, 1.5));
  painter.drawRoundedRect(there.mapRect(seen).intersected(map), 3, 3);
}

/// The view goes to what is under the pointer; false: the map is elsewhere.
bool GraphView::drag_map(QPointF at, bool began) {
  QRectF map = map_rect();
  if (began) on_map_ = map.contains(at);
  if (!on_map_ || map.isEmpty()) return on_map_;
  QPointF scene = to_map().inverted().map(at);
  origin_ = QPointF(unit_width(), unit_height()) / 2 - scene * scale_;
  moved_by_user();
  return true;
}

}  // namespace tw
