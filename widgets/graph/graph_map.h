// SPDX-License-Identifier: GPL-3.0-or-later
/// The whole of a graph that does not fit, in a corner of its view, with the part that is seen.
#pragma once

#include <QImage>
#include <QPainter>
#include <QTransform>

#include "widgets/theme/theme.h"

namespace tw {

class Canvas;
class GraphCamera;
class GraphLayout;

class GraphMap {
public:
  /// It stands below `bar`, where that is seen.
  GraphMap(Canvas const& canvas, QWidget const& bar, GraphLayout const& layout, GraphCamera& camera)
      : canvas_(canvas), bar_(bar), layout_(layout), camera_(camera) {}
  /// Empty: all of the graph can be seen.
  QRectF rect() const;
  void paint(QPainter& painter, Theme const& theme);
  /// Its cards look different.
  void forget() { is_painted_ = false; }
  /// The graph goes to what is under the pointer; false: the map is elsewhere.
  bool press(QPointF at);
  void drag(QPointF at);
  /// Whether it was dragged.
  bool release();
  bool is_dragged() const { return dragged_; }

private:
  QTransform to_map() const;
  void paint_cards(Theme const& theme, double ratio);

  Canvas const& canvas_;
  QWidget const& bar_;
  GraphLayout const& layout_;
  GraphCamera& camera_;
  QImage cards_;
  bool is_painted_ = false, dragged_ = false;
};

}  // namespace tw
