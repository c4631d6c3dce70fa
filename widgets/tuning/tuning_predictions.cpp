// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tuning/tuning_predictions.h"

#include <algorithm>

#include "engine/session/views/tuning_statistics.h"
#include "widgets/paint/paint.h"
#include "widgets/plot/plot_ticks.h"

namespace tw {
namespace {

constexpr double kBeyond = 1.1;  // of the longest and the shortest time: their dots are whole

bool has_both(session::TuningTrial const& trial) { return trial.ms > 0 && trial.predicted_ms > 0; }

QString tick_time(double ms, double) { return paint::time(ms); }

/// Of all trials that have both; empty without any.
QCPRange times_of(session::TuningView const& runs) {
  QCPRange times(0, 0);
  for (auto const& run : runs.runs)
    for (auto const& trial : run->trials) {
      if (!has_both(*trial)) continue;
      auto [low, high] = std::minmax(trial->ms, trial->predicted_ms);
      times.lower = times.lower > 0 ? std::min(times.lower, low) : low;
      times.upper = std::max(times.upper, high);
    }
  return {times.lower / kBeyond, times.upper * kBeyond};
}

}  // namespace

QString agreement(double tau) {
  if (tau >= 0.7) return "Predictions correlate well";
  if (tau >= 0.4) return "Predictions correlate in part";
  if (tau >= 0.1) return "Predictions hardly correlate";
  return tau > -0.1 ? "Predictions do not correlate" : "Predictions are anti-correlated";
}

TuningPredictions::TuningPredictions(QWidget* parent) : TrialPlot(parent) {
  setObjectName("tuningPredictions");
  setAccessibleName("Predicted against measured");
  tick_size_ = 10;
  for (QCPAxis* axis : {xAxis, yAxis}) {
    axis->setScaleType(QCPAxis::stLogarithmic);
    axis->setTicker(QSharedPointer<PlotTicks>::create(axis, 4, tick_time));
  }
}

void TuningPredictions::show_runs(session::TuningView runs, TuningScale scale) {
  session::PredictionQuality quality = session::prediction_quality(runs);
  words_ = quality.trials < 2
               ? QString("No search has predicted times yet.")
               : QString("%1: tau %2 of %3 trials")
                     .arg(agreement(quality.tau), QString::number(quality.tau, 'f', 2))
                     .arg(quality.trials);
  take_runs(std::move(runs), scale);
}

std::optional<QPointF> TuningPredictions::place(session::TuningTrial const& trial) const {
  if (!has_both(trial)) return {};
  return QPointF(trial.ms, trial.predicted_ms);
}

QPointF TuningPredictions::position(double predicted_ms, double measured_ms) const {
  return pixel({measured_ms, predicted_ms});
}

void TuningPredictions::draw_runs() {
  QCPRange times = times_of(runs_);
  axisRect()->setVisible(times.upper > 0);
  if (times.upper <= 0) return;
  set_whole(times, times);
  for (auto const& run : runs_.runs) add_dots(*run, 2.2, 0.8);
  QPen dashed(theme_.text3, 1);
  dashed.setDashPattern({6, 4});
  add_line({times.lower, times.lower}, {times.upper, times.upper}, dashed);
}

void TuningPredictions::before_drawing() {
  TrialPlot::before_drawing();
  set_margins(64, 64, 16, 40);
}

void TuningPredictions::paint_words(QPainter& painter) {
  QRectF plot = area();
  double wide = rect().width() / unit() - 32;
  paint::text(painter, QRectF(16, 4, wide - 90, 20), ui_font(13, 600), theme_.text1, "Predicted");
  paint::text(painter, QRectF(16 + wide - 90, 4, 90, 20), ui_font(11), theme_.text2, near_words(),
              Qt::AlignRight | Qt::AlignVCenter);
  paint::paragraph(painter, QRectF(16, 26, wide, 34), ui_font(11), theme_.text2, words_);
  if (axisRect()->visible())
    paint::text(painter, QRectF(plot.left(), plot.bottom() + 20, plot.width(), 16), ui_font(11),
                theme_.text3, "measured", Qt::AlignRight | Qt::AlignVCenter);
}

std::vector<Part> TuningPredictions::parts() const {
  double wide = rect().width() - 32 * unit();
  return {{QRectF(16 * unit(), 26 * unit(), wide, 18 * unit()), words_, false}};
}

}  // namespace tw
