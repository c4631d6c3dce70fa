// SPDX-License-Identifier: GPL-3.0-or-later
/// Times that the searches predicted against those that were measured, both as logarithms; on the
/// diagonal both are the same.
#pragma once

#include "widgets/tuning/trial_plot.h"

namespace tw {

class TuningPredictions : public TrialPlot {
public:
  explicit TuningPredictions(QWidget* parent = nullptr);
  void show_runs(session::TuningView runs, TuningScale scale);
  QSize minimumSizeHint() const override { return pixels(QSizeF(232, 170)); }
  QSize sizeHint() const override { return pixels(QSizeF(264, 200)); }
  std::vector<Part> parts() const override;
  /// "order agrees well: tau 0.81 of 96 trials"
  QString words() const { return words_; }
  /// In pixels.
  QPointF position(double predicted_ms, double measured_ms) const;

protected:
  void draw_runs() override;
  void before_drawing() override;
  void paint_words(QPainter& painter) override;
  std::optional<QPointF> place(session::TuningTrial const& trial) const override;

private:
  QString words_;
};

/// Of a rank correlation: "the order agrees well".
QString agreement(double tau);

}  // namespace tw
