// SPDX-License-Identifier: GPL-3.0-or-later
/// Trials as lines across an axis for each knob, the last one for the time: a drag along an axis
/// keeps those that cross it there. Lines that cover one another are one, so that a hundred
/// thousand trials take no longer than their different values.
#pragma once

#include <QImage>
#include <optional>

#include "engine/session/views/trial_space.h"
#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"

namespace tw {

/// Times on an axis whose upper end is the fastest one.
struct TimeAxis {
  double least = 0, most = 0;
  bool logarithmic = true;
  double place(double ms) const;  ///< 0 at the lower end, 1 at the upper one
  double ms(double place) const;
};

class ParallelPlot : public Canvas, public HasParts {
  Q_OBJECT
public:
  explicit ParallelPlot(QWidget* parent = nullptr);
  void set_theme(Theme const& theme) override {
    Canvas::set_theme(theme);
    stale_ = true;
  }
  void show_space(std::shared_ptr<session::TrialSpace const> space);
  /// `kept`: for each point of the space.
  void show_filter(session::TrialFilter const& filter, std::vector<char> kept);
  void show_logarithmic(bool logarithmic);
  /// The axis that keys work on and whose slice is shown.
  void choose_axis(int axis);
  int chosen_axis() const { return axis_; }
  int axes() const { return space_ ? int(space_->axes.size()) + 1 : 0; }
  /// Where an axis stands, and a point of it.
  QPointF place(int axis, double value) const;
  /// Lines that were drawn last, at most as many as places that can be told apart.
  int drawn_lines() const { return drawn_; }
  QSize minimumSizeHint() const override { return pixels(QSizeF(320, 180)); }
  std::vector<Part> parts() const override;

signals:
  void axis_chosen(int axis);
  /// Keeps trials between two places of an axis, in its values or in ms; nothing: all.
  void range_asked(int axis, std::optional<session::AxisRange> range);

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void resizeEvent(QResizeEvent*) override { stale_ = true; }
  void rescale() override { stale_ = true; }

private:
  QRectF plot() const;
  bool is_time(int axis) const { return axis + 1 == axes(); }
  double share(int axis, double value) const;
  double value_at(int axis, double y) const;
  int axis_at(double x) const;
  std::optional<session::AxisRange> range_of(int axis) const;
  session::AxisRange range_between(int axis, double from, double to) const;
  void draw_lines();
  void draw_lines_of(QPainter& painter, bool kept);
  void draw_axis(QPainter& painter, int axis) const;
  void draw_values(QPainter& painter, int axis, double gap) const;
  void draw_range(QPainter& painter, int axis) const;
  QString words_of(int axis, double value) const;

  std::shared_ptr<session::TrialSpace const> space_;
  session::TrialFilter filter_;
  std::vector<char> kept_;
  TimeAxis time_;
  int axis_ = 0;
  QImage lines_;
  bool stale_ = true;  ///< `lines_` are of something else
  int drawn_ = 0;
  struct Drag {
    int axis;
    double from, to;  ///< in units, down the plot
  };
  std::optional<Drag> drag_;
};

}  // namespace tw
