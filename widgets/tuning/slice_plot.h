// SPDX-License-Identifier: GPL-3.0-or-later
/// One knob against the time: each trial a dot above its value, the fastest of each value marked.
#pragma once

#include "widgets/tuning/parallel_plot.h"

namespace tw {

class SlicePlot : public Canvas, public HasParts {
public:
  explicit SlicePlot(QWidget* parent = nullptr);
  void show_space(std::shared_ptr<session::TrialSpace const> space);
  void show_filter(std::vector<char> kept);
  void show_logarithmic(bool logarithmic);
  /// Of the space; one that is none of its knobs shows nothing.
  void show_axis(int axis);
  int axis() const { return axis_; }
  /// Of the trials that are kept, for each value; 0: none has it.
  std::vector<double> fastest() const;
  QSize minimumSizeHint() const override { return pixels(QSizeF(220, 180)); }
  std::vector<Part> parts() const override;

protected:
  void paintEvent(QPaintEvent*) override;

private:
  bool shows() const { return space_ && axis_ >= 0 && size_t(axis_) < space_->axes.size(); }
  QRectF plot() const;
  double x_of(int value) const;
  double y_of(double ms) const;
  void draw_dots(QPainter& painter, bool kept) const;
  void draw_axes(QPainter& painter) const;
  void draw_values(QPainter& painter, session::TrialAxis const& axis) const;

  std::shared_ptr<session::TrialSpace const> space_;
  std::vector<char> kept_;
  TimeAxis time_;
  int axis_ = -1;
};

}  // namespace tw
