// SPDX-License-Identifier: GPL-3.0-or-later
/// Which part of a graph a canvas shows, and how large: a place of the graph is at
/// `origin + scale * place` there, in units.
#pragma once

#include <QKeyEvent>
#include <QObject>
#include <QPointF>
#include <QRectF>

class QWidget;

namespace tw {

class Canvas;
class GraphLayout;

class GraphCamera : public QObject {
  Q_OBJECT
public:
  GraphCamera(Canvas const& canvas, GraphLayout const& layout) : canvas_(canvas), layout_(layout) {}

  double scale() const { return scale_; }
  QPointF origin() const { return origin_; }
  QPointF to_graph(QPointF at) const { return (at - origin_) / scale_; }
  QRectF to_canvas(QRectF const& box) const {
    return {box.topLeft() * scale_ + origin_, box.size() * scale_};
  }
  /// In the graph's coordinates.
  QRectF seen() const;
  /// Names can be read.
  bool is_near() const;
  bool shows(QRectF const& box) const;
  bool shows_all() const;
  /// At which all of it is seen; 0: nothing is laid out.
  double fit_scale() const;
  /// That a fitted graph may take.
  QSizeF room() const;
  /// So high a strip at the lower edge is no room for it.
  void keep_below(double height) { below_ = height; }
  double below() const { return below_; }

  void look_at(double scale, QPointF origin);
  /// From its upper edge, in the middle.
  void look_from_above(double scale);
  /// The whole width, as far as names can be read.
  void look_first();
  void bring_into_view(QRectF const& box);
  /// Nor below the bar.
  void bring_into_view(QRectF const& box, QWidget const& bar);
  /// What stood at one place stands at another one of the new layout, and seems not to move.
  void keep_in_place(QRectF const& stood, QRectF const& stands);
  /// By the user.
  void move_to(QPointF origin);
  void centre_on(QPointF place);
  void zoom(double factor, QPointF around);
  /// + and - zoom, 0 asks for the whole. False: another key.
  bool press(QKeyEvent const& event);

  /// Somebody has moved it since it was fitted.
  bool is_moved() const { return moved_; }
  /// Another graph is looked at first when it is laid out.
  void forget_fit() { fitted_ = false; }
  bool was_fitted() const { return fitted_; }
  struct Place {
    double scale = 1;
    QPointF origin;
    bool moved = false;
  };
  Place place() const { return {scale_, origin_, moved_}; }
  void go_back(Place const& place);
  /// Of what is not moved, for a picture of all of it.
  void forget_moves() { moved_ = false; }

signals:
  void changed();
  /// The user has moved or zoomed.
  void looked();
  void fit_typed();

private:
  void moved_by_user();

  Canvas const& canvas_;
  GraphLayout const& layout_;
  double scale_ = 1, below_ = 0;
  QPointF origin_{24, 24};
  bool fitted_ = false;
  bool moved_ = false;  ///< by the user, since it was fitted
};

}  // namespace tw
