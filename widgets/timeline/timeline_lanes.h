// SPDX-License-Identifier: GPL-3.0-or-later
/// What the parts of a machine do, a row each over one axis of cycles; two runs below each other.
/// Where blocks are too narrow to be seen, each column shows how much of it every kind takes.
#pragma once

#include <QPolygonF>

#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"
#include "widgets/timeline/lanes_layout.h"
#include "widgets/timeline/timeline_hues.h"

namespace tw {

class TimelineLanes : public Canvas, public HasParts {
  Q_OBJECT
public:
  explicit TimelineLanes(TimelineFocus& focus, QWidget* parent = nullptr);
  void set_theme(Theme const& theme) override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {pixels(QSizeF(300, 0)).width(), height_hint()}; }
  std::vector<Part> parts() const override;

  /// Lanes take this height together with their titles, in units; at least their least.
  void take_room(double height);
  LanesLayout layout() const { return {focus_, unit_width(), room_}; }

signals:
  void resized();
  void dragged_down(double units);  ///< whoever scrolls it should
  void moved();                     ///< other cycles are seen, by hand
  void chosen(int run, int instruction);
  void cursor_put(qint64 cycle);

protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override { emit resized(); }
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void wheelEvent(QWheelEvent*) override;
  bool event(QEvent*) override;
  void rescale() override { lay_out(); }

private:
  void lay_out();
  int height_hint() const;

  void draw_run(QPainter& painter, int run) const;
  void draw_title(QPainter& painter, int run) const;
  void draw_grid(QPainter& painter, int run) const;
  void draw_lane(QPainter& painter, int run, int lane) const;
  void draw_span(QPainter& painter, int run, int span) const;
  void draw_columns(QPainter& painter, int run, int lane, double from, double to) const;
  void draw_cuts(QPainter& painter, int run) const;
  void draw_tokens(QPainter& painter, int run) const;
  void draw_token(QPainter& painter, int run, int token, bool selected) const;
  void draw_memory(QPainter& painter, int run) const;
  void draw_capacity(QPainter& painter, QRectF const& area, Timeline::Counter const& memory,
                     double y) const;
  void draw_ends(QPainter& painter) const;
  void draw_saving(QPainter& painter) const;
  void draw_selection(QPainter& painter) const;
  bool is_lit(TimelineRun const& run, int32_t instruction) const;
  QString words_of(LanePlace const& place) const;
  QString lane_words(int run, int lane) const;

  TimelineFocus& focus_;
  TimelineHues hues_;
  QPointF pressed_, last_;
  bool dragging_ = false, held_ = false;
  double room_ = 0;
};

}  // namespace tw
