// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plot/plot_ticks.h"

#include <algorithm>
#include <cmath>

namespace tw {
namespace {

constexpr double kGap = 6;           // pixels between the words of two ticks
constexpr double kFewDecades = 0.7;  // of these a linear step reads better than 1, 2, 5

}  // namespace

double round_step(double most, double parts) {
  double raw = std::max(most, 1e-9) / parts;
  double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * power) return factor * power;
  return 10 * power;
}

QString tick_number(double tick, double step) {
  if (std::abs(tick) < step * 1e-6) return "0";
  if (std::abs(tick) >= 1e6 || step < 1e-6) return QString::number(tick, 'g', 4);
  int decimals = std::max(0, int(-std::floor(std::log10(step * 1.001))));
  return QString::number(tick, 'f', decimals);
}

double PlotTicks::step(QCPRange const& range) const {
  return std::max(least_step_, round_step(range.size(), parts_));
}

QVector<double> PlotTicks::linear(QCPRange const& range) const {
  QVector<double> ticks;
  double apart = step(range), slack = apart * 1e-6;
  for (double n = std::ceil((range.lower - slack) / apart); n * apart <= range.upper + slack; ++n)
    ticks << n * apart;
  return ticks;
}

/// Powers of ten, and twice and five times these where there are few of them.
QVector<double> PlotTicks::logarithmic(QCPRange const& range) const {
  double decades = std::log10(range.upper / range.lower);
  if (decades < kFewDecades) return linear(range);
  QVector<double> ticks;
  bool few = decades * 3 <= parts_ + 1;
  for (double power = std::floor(std::log10(range.lower)); power <= std::log10(range.upper);
       ++power)
    for (double factor : {1.0, 2.0, 5.0})
      if (double tick = factor * std::pow(10.0, power);
          (few || factor == 1) && tick >= range.lower && tick <= range.upper)
        ticks << tick;
  return ticks.size() < 2 ? linear(range) : ticks;
}

/// Words that would lie on those before them are left out, with their ticks.
void PlotTicks::generate(QCPRange const& range, QLocale const&, QChar, int, QVector<double>& ticks,
                         QVector<double>* between, QVector<QString>* words) {
  bool log = axis_->scaleType() == QCPAxis::stLogarithmic;
  QVector<double> wanted = log ? logarithmic(range) : linear(range);
  QFontMetricsF metrics(axis_->tickLabelFont());
  bool across = axis_->orientation() == Qt::Horizontal;
  double end = -1e9;
  ticks.clear();
  if (words) words->clear();
  if (between) between->clear();
  double apart = step(range);
  if (!across) std::ranges::reverse(wanted);  // downwards, as pixels go
  for (double tick : wanted) {
    QString word = words_(tick, apart);
    double half = (across ? metrics.horizontalAdvance(word) : metrics.height()) / 2;
    double at = axis_->coordToPixel(tick);
    if (at - half < end) continue;
    end = at + half + (across ? kGap : 0);
    ticks << tick;
    if (words) *words << word;
  }
  if (across) return;
  std::ranges::reverse(ticks);
  if (words) std::ranges::reverse(*words);
}

}  // namespace tw
