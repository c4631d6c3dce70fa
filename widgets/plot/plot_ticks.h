// SPDX-License-Identifier: GPL-3.0-or-later
/// Ticks of an axis at round numbers, as many as have room for their words.
#pragma once

#include <qcustomplot.h>

#include <functional>

namespace tw {

/// 1, 2 or 5 times a power of ten, so that `most` has about `parts` of them.
double round_step(double most, double parts);
/// With as many decimals as tell it from its neighbours.
QString tick_number(double tick, double step);

class PlotTicks : public QCPAxisTicker {
public:
  /// Words for a tick, `step` apart from the next one.
  using Words = std::function<QString(double tick, double step)>;
  /// `least_step`: numbers between whole trials would say nothing.
  PlotTicks(QCPAxis const* axis, int parts, Words words = tick_number, double least_step = 0)
      : axis_(axis), parts_(parts), words_(std::move(words)), least_step_(least_step) {}
  void generate(QCPRange const& range, QLocale const&, QChar, int, QVector<double>& ticks,
                QVector<double>* between, QVector<QString>* words) override;

private:
  double step(QCPRange const& range) const;
  QVector<double> linear(QCPRange const& range) const;
  QVector<double> logarithmic(QCPRange const& range) const;

  QCPAxis const* axis_;
  int parts_;
  Words words_;
  double least_step_;
};

}  // namespace tw
