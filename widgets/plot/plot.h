// SPDX-License-Identifier: GPL-3.0-or-later
/// A plot with axes, by QCustomPlot, in the theme's colours and type. The wheel comes nearer, a
/// drag moves, keys do both; a double click or 0 shows all again. What somebody has come near to
/// stays in sight when more data comes.
#pragma once

#include <qcustomplot.h>

#include <optional>

#include "widgets/theme/theme.h"

namespace tw {

class Plot : public QCustomPlot {
  Q_OBJECT
public:
  explicit Plot(QWidget* parent = nullptr);
  virtual void set_theme(Theme const& theme);
  /// Pixels in a unit.
  double unit() const { return theme_.scale; }
  QSize pixels(QSizeF units) const { return (units * unit()).toSize(); }
  /// Whether less is seen than there is.
  bool is_near() const { return near_; }
  void show_all();
  /// What is seen becomes `factor` times as wide and high; `around`, in pixels, stays where it is.
  void zoom(double factor, QPointF around);
  /// By these shares of what is seen.
  void pan(double right, double up);

protected:
  /// The ends of both axes, unless somebody has come nearer.
  void set_whole(QCPRange x, QCPRange y);
  QCPRange whole_x() const { return whole_x_; }
  QCPRange whole_y() const { return whole_y_; }
  /// In units: the room around the axes.
  void set_margins(double left, double top, double right, double bottom);
  /// In units: what the axes enclose.
  QRectF area() const;
  /// Drawn when it is painted next: not at all while it is hidden.
  void refresh();
  /// The last word on margins, and on what stands where.
  virtual void before_drawing() {}
  /// Words and marks beside the plot, in units.
  virtual void paint_words(QPainter& painter) = 0;
  /// Of what stands there, in pixels; empty: nothing.
  virtual QString words_at(QPointF) const { return {}; }
  virtual void click(QPointF) {}
  QString near_words() const { return near_ ? QStringLiteral("0 shows all") : QString(); }

  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

  Theme theme_;
  double tick_size_ = 11;

private:
  friend class PlotWords;
  void hold();
  void paint_all_words(QPainter& painter);
  void log_ticks(QPainter& painter) const;
  void point_at(QPointF at, QPoint global);

  QCPRange whole_x_, whole_y_;
  bool near_ = false, holding_ = false;
  bool stale_ = true;               ///< what was drawn last
  std::optional<QPointF> pressed_;  ///< not moved since
  QString tip_;
};

}  // namespace tw
