// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tuning/tuning_predictions.h"

#include <algorithm>
#include <cmath>

#include "engine/session/views/tuning_statistics.h"
#include "widgets/paint/paint.h"

namespace tw {
namespace {

bool has_both(session::TuningTrial const& trial) { return trial.ms > 0 && trial.predicted_ms > 0; }

}  // namespace

QString agreement(double tau) {
  if (tau >= 0.7) return "The order agrees well";
  if (tau >= 0.4) return "The order agrees in part";
  if (tau >= 0.1) return "The order hardly agrees";
  return tau > -0.1 ? "The order does not agree" : "The order is rather the reverse";
}

TuningPredictions::TuningPredictions(QWidget* parent) : Canvas(parent) {
  setObjectName("tuningPredictions");
  setAccessibleName("Predicted against measured");
}

void TuningPredictions::show_runs(session::TuningView runs) {
  runs_ = std::move(runs);
  least_ = most_ = 0;
  for (auto const& run : runs_.runs)
    for (auto const& trial : run->trials) {
      if (!has_both(*trial)) continue;
      auto [low, high] = std::minmax(trial->ms, trial->predicted_ms);
      least_ = least_ > 0 ? std::min(least_, low) : low;
      most_ = std::max(most_, high);
    }
  least_ /= 1.1, most_ *= 1.1;
  session::PredictionQuality quality = session::prediction_quality(runs_);
  words_ = quality.trials < 2
               ? QString("No search has predicted times yet.")
               : QString("%1: tau %2 of %3 trials")
                     .arg(agreement(quality.tau), QString::number(quality.tau, 'f', 2))
                     .arg(quality.trials);
  update();
}

QRectF TuningPredictions::plot() const {
  return QRectF(64, 64, std::max(60.0, unit_width() - 64 - 16),
                std::max(50.0, unit_height() - 64 - 40));
}

QPointF TuningPredictions::position(double predicted_ms, double measured_ms) const {
  auto share = [&](double ms) { return std::log(ms / least_) / std::log(most_ / least_); };
  QRectF area = plot();
  return {area.left() + area.width() * share(measured_ms),
          area.bottom() - area.height() * share(predicted_ms)};
}

void TuningPredictions::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  double wide = unit_width() - 32;
  paint::text(painter, QRectF(16, 4, wide, 20), ui_font(13, 600), theme_.text1, "Predicted");
  paint::paragraph(painter, QRectF(16, 26, wide, 34), ui_font(11), theme_.text2, words_);
  if (most_ <= 0) return;
  painter.fillRect(plot(), theme_.inset);
  draw_axes(painter);
  painter.setPen(Qt::NoPen);
  for (auto const& run : runs_.runs) {
    QColor colour = search_colour(theme_, run->search);
    colour.setAlphaF(0.8f);
    painter.setBrush(colour);
    for (auto const& trial : run->trials)
      if (has_both(*trial)) painter.drawEllipse(position(trial->predicted_ms, trial->ms), 2.2, 2.2);
  }
}

void TuningPredictions::draw_axes(QPainter& painter) const {
  QRectF area = plot();
  QPen pen(theme_.text3, 1);
  pen.setDashPattern({6, 4});
  painter.setPen(pen);
  painter.drawLine(area.bottomLeft(), area.topRight());
  QFont small = mono_font(10);
  paint::text(painter, QRectF(2, area.bottom() - 16, 58, 16), small, theme_.text3,
              paint::time(least_), Qt::AlignRight | Qt::AlignVCenter);
  paint::text(painter, QRectF(2, area.top(), 58, 16), small, theme_.text3, paint::time(most_),
              Qt::AlignRight | Qt::AlignVCenter);
  paint::text(painter, QRectF(area.left(), area.bottom() + 4, 64, 16), small, theme_.text3,
              paint::time(least_));
  paint::text(painter, QRectF(area.right() - 64, area.bottom() + 4, 64, 16), small, theme_.text3,
              paint::time(most_), Qt::AlignRight | Qt::AlignVCenter);
  paint::text(painter, QRectF(area.left(), area.bottom() + 20, area.width(), 16), ui_font(11),
              theme_.text3, "measured", Qt::AlignRight | Qt::AlignVCenter);
}

std::vector<Part> TuningPredictions::parts() const {
  return {{QRectF(16, 26, unit_width() - 32, 18), words_, false}};
}

}  // namespace tw
