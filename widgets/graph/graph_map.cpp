// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/graph_map.h"

#include <algorithm>
#include <utility>

#include "widgets/graph/graph_camera.h"
#include "widgets/graph/graph_layout.h"
#include "widgets/paint/canvas.h"

namespace tw {
namespace {

constexpr double kMapWidth = 168, kMapHeight = 128, kMapGap = 12;

}  // namespace

QRectF GraphMap::rect() const {
  if (!layout_.is_laid_out()) return {};
  graph::Cards const& graph = *layout_.cards();
  QRectF whole = camera_.to_canvas(QRectF(0, 0, graph.width, graph.height));
  if (canvas_.unit_rect().adjusted(-1, -1, 1, 1).contains(whole)) return {};
  double scale = std::min(kMapWidth / graph.width, kMapHeight / graph.height);
  QSizeF size(std::max(24.0, graph.width * scale + 8), std::max(24.0, graph.height * scale + 8));
  double top = kMapGap;
  if (bar_.isVisible()) top += canvas_.units(QPointF(0, bar_.height())).y() + kMapGap;
  bool has_room = size.width() <= canvas_.unit_width() / 3 &&
                  size.height() + top <= canvas_.unit_height() * 0.7;
  if (!has_room) return {};
  return {canvas_.unit_width() - size.width() - kMapGap, top, size.width(), size.height()};
}

/// From the graph's coordinates to the map's.
QTransform GraphMap::to_map() const {
  QRectF map = rect();
  graph::Cards const& graph = *layout_.cards();
  double scale = std::min((map.width() - 8) / graph.width, (map.height() - 8) / graph.height);
  QTransform transform;
  transform.translate(map.center().x() - graph.width * scale / 2,
                      map.center().y() - graph.height * scale / 2);
  return transform.scale(scale, scale);
}

void GraphMap::paint_cards(Theme const& theme, double ratio) {
  is_painted_ = true;
  cards_.fill(theme.panel);
  QTransform there = to_map();
  QPainter painter(&cards_);
  painter.scale(ratio, ratio);
  painter.translate(-rect().topLeft());
  for (graph::Card const& card : layout_.cards()->cards) {
    QRectF box = there.mapRect(card.box);
    box.setSize(QSizeF(std::max(1.0, box.width()), std::max(1.0, box.height())));
    painter.fillRect(box, theme.text3);
  }
}

/// Cards do not change until they are laid out again: they are kept as a picture.
void GraphMap::paint(QPainter& painter, Theme const& theme) {
  QRectF map = rect();
  if (map.isEmpty()) return;
  double ratio = canvas_.unit() * canvas_.devicePixelRatioF();
  QSize size = (map.size() * ratio).toSize();
  if (!is_painted_ || cards_.size() != size) {
    cards_ = QImage(size, QImage::Format_RGB32);
    paint_cards(theme, ratio);
  }
  painter.drawImage(map, cards_);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme.line2, 1));
  painter.drawRoundedRect(map, 4, 4);
  painter.setPen(QPen(theme.ink, 1.5));
  painter.drawRoundedRect(to_map().mapRect(camera_.seen()).intersected(map), 3, 3);
}

bool GraphMap::press(QPointF at) {
  dragged_ = rect().contains(at);
  if (dragged_) drag(at);
  return dragged_;
}

void GraphMap::drag(QPointF at) {
  if (!rect().isEmpty()) camera_.centre_on(to_map().inverted().map(at));
}

bool GraphMap::release() { return std::exchange(dragged_, false); }

}  // namespace tw
