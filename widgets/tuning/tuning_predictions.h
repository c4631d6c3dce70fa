// SPDX-License-Identifier: GPL-3.0-or-later
/// Times that the searches predicted against those that were measured, both as logarithms; on the
/// diagonal both are the same.
#pragma once

#include "widgets/accessible/parts.h"
#include "widgets/paint/canvas.h"
#include "widgets/tuning/tuning_scale.h"

namespace tw {

class TuningPredictions : public Canvas, public HasParts {
public:
  explicit TuningPredictions(QWidget* parent = nullptr);
  void show_runs(session::TuningView runs);
  QSize minimumSizeHint() const override { return pixels(QSizeF(232, 170)); }
  QSize sizeHint() const override { return pixels(QSizeF(264, 200)); }
  std::vector<Part> parts() const override;
  /// "order agrees well: tau 0.81 of 96 trials"
  QString words() const { return words_; }
  /// In units.
  QPointF position(double predicted_ms, double measured_ms) const;

protected:
  void paintEvent(QPaintEvent*) override;

private:
  QRectF plot() const;
  void draw_axes(QPainter& painter) const;

  session::TuningView runs_;
  QString words_;
  double least_ = 0, most_ = 0;  ///< ms at the ends of both axes; 0: there is nothing to show
};

/// Of a rank correlation: "the order agrees well".
QString agreement(double tau);

}  // namespace tw
