// SPDX-License-Identifier: GPL-3.0-or-later
/// Best so far against trials: a step line for each search, the trials as dots, the roof and the
/// schedule by rule as lines.
#pragma once

#include "widgets/tuning/trial_plot.h"

namespace tw {

class TuningChart : public TrialPlot {
  Q_OBJECT
public:
  explicit TuningChart(QWidget* parent = nullptr);
  /// `runs` are of one kernel.
  void show_runs(session::TuningView runs, TuningScale scale);
  QSize minimumSizeHint() const override { return pixels(QSizeF(300, 170)); }
  std::vector<Part> parts() const override;
  /// Where a trial's dot is, in pixels.
  QPointF position(int trial, double ms) const;

protected:
  void draw_runs() override;
  void before_drawing() override;
  void paint_words(QPainter& painter) override;
  std::optional<QPointF> place(session::TuningTrial const& trial) const override;

private:
  /// A line across, or the end of a search's: what stands beside the plot.
  struct Label {
    double y = 0;  ///< in units
    QString words;
    QColor colour;
    int weight = 500;
  };
  /// What searches are compared with: the schedule by rule, and steps that they began at.
  struct Mark {
    double ms = 0;
    QString name;
  };
  std::vector<Mark> marks() const;
  /// What may stand above the axis stands at its end.
  double shown(double ms) const;
  void set_range();
  void add_best(session::TuningRun const& run);
  Label label(double value, QString const& name, QColor const& colour, int weight) const;
  std::vector<Label> labels() const;

  double most_value_ = 1;
};

}  // namespace tw
