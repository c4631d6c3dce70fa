// SPDX-License-Identifier: GPL-3.0-or-later
/// A model over several devices: where the groups of its graph run, with a flag where another
/// device takes over, which can be dragged.
#pragma once

#include <QColor>
#include <QObject>
#include <QPainter>
#include <memory>

#include "widgets/graph/graph_cards.h"
#include "widgets/theme/theme.h"

namespace tw {

class GraphLayout;

class GraphCut : public QObject {
  Q_OBJECT
public:
  explicit GraphCut(GraphLayout const& layout) : layout_(layout) {}
  /// Null: all runs on one device.
  void show(std::shared_ptr<session::CutView const> cut);
  /// Not before fusion.
  bool is_shown() const;
  session::CutView const& view() const { return *cut_; }
  /// Of the words at the lower edge, in units; 0: there are none.
  double height() const;
  /// Of the cut's places; 0: the first, or there is no cut.
  int place_of(graph::Card const& card) const;
  int place_of(graph::Member const& member) const;
  QColor colour_of(Theme const& theme, int place) const;
  /// From one place to another.
  bool is_crossed_by(graph::Border const& border) const;
  /// A point of the cut, by its flag; -1: none.
  int flag_at(QPointF place) const;

  // ---- dragging, in the graph's coordinates ----
  bool press(QPointF place);
  void drag(QPointF place);
  void drop();
  void cancel_drag();
  bool is_dragged() const { return dragged_ >= 0; }
  void reset() { dragged_ = drop_group_ = -1; }

  // ---- painting ----
  /// A band at the left edge of what runs elsewhere.
  void paint_band(QPainter& painter, Theme const& theme, graph::Card const& card) const;
  void paint_flags(QPainter& painter, Theme const& theme) const;
  /// Where a dragged flag would come down.
  void paint_drop(QPainter& painter, Theme const& theme, double scale) const;
  /// The devices with how many kernels each runs, and below what that costs. `strip`: at the lower
  /// edge of the view.
  void paint_words(QPainter& painter, Theme const& theme, QRectF const& strip) const;

signals:
  void changed();
  /// A flag was dropped on a card of another group.
  void moved(int from, int to);

private:
  QRectF flag_rect(session::CutPointView const& point, graph::Card const& card) const;

  GraphLayout const& layout_;
  std::shared_ptr<session::CutView const> cut_;
  int dragged_ = -1;     ///< a point of the cut
  int drop_group_ = -1;  ///< where it would be dropped
};

}  // namespace tw
