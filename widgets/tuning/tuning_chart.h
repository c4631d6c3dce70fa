// SPDX-License-Identifier: GPL-3.0-or-later
/// Best so far against trials: a step line for each search, the trials as dots, the roof and the
/// schedule by rule as lines.
#pragma once

#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"
#include "widgets/tuning/tuning_scale.h"

namespace tw {

class TuningChart : public Canvas, public HasParts {
  Q_OBJECT
public:
  explicit TuningChart(QWidget* parent = nullptr);
  /// `runs` are of one kernel.
  void show_runs(session::TuningView runs, TuningScale scale);
  void select(ChosenTrial chosen);
  QSize minimumSizeHint() const override { return pixels(QSizeF(300, 170)); }
  std::vector<Part> parts() const override;
  /// Where a trial's dot is, in units.
  QPointF position(int trial, double ms) const;

signals:
  void trial_chosen(ChosenTrial chosen);

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;

private:
  /// A line across, or the end of a search's: what stands beside the plot.
  struct Label {
    double y = 0;
    QString words;
    QColor colour;
    int weight = 500;
  };
  QRectF plot() const;
  double y_of(double value) const;
  std::vector<Label> labels() const;
  /// What searches are compared with: the schedule by rule, and steps that they began at.
  struct Mark {
    double ms = 0;
    QString name;
  };
  std::vector<Mark> marks() const;
  void set_range();
  void draw_axes(QPainter& painter) const;
  void draw_roof_and_marks(QPainter& painter) const;
  void draw_trials(QPainter& painter, session::TuningRun const& run) const;
  void draw_best(QPainter& painter, session::TuningRun const& run) const;
  void draw_labels(QPainter& painter) const;
  void draw_chosen(QPainter& painter) const;

  session::TuningView runs_;
  TuningScale scale_;
  ChosenTrial chosen_;
  double most_trials_ = 64, most_value_ = 1;  ///< at the ends of the axes
  double trial_step_ = 16, value_step_ = 0.25;
  double label_width_ = 60;
};

}  // namespace tw
