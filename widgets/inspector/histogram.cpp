// SPDX-License-Identifier: GPL-3.0-or-later
// The histogram of a weight's values.
#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "engine/support/base/quantities.h"
#include "widgets/inspector/sheet_layout.h"
#include "widgets/paint/paint.h"

namespace tw::sheet {
namespace {

constexpr double kTop = 22, kChart = 84, kLine = 17;

QRectF chart_of(QRectF const& box) {
  return {box.left() + kLeft, box.top() + kTop, box.width() - 2 * kLeft, kChart};
}

QString value_words(double value) { return QString::fromStdString(session::value_text(value)); }

/// What a bar's full height is.
QString scale_words(session::ValueStatistics const& values, int64_t most) {
  QString words = QString::fromStdString(many_text(double(most))) + " at the highest bar";
  return values.wants_logarithm() ? words + ", logarithmic" : words;
}

void draw_axis(QPainter& painter, QRectF const& chart, Theme const& theme,
               session::ValueStatistics const& values) {
  double low = values.low, high = low + values.step * double(values.bins.size());
  painter.setPen(QPen(theme.line3, 1));
  painter.drawLine(chart.bottomLeft(), chart.bottomRight());
  if (low < 0 && high > 0 && !values.whole) {
    double x = chart.left() + chart.width() * (-low / (high - low));
    painter.setPen(QPen(theme.line3, 1, Qt::DashLine));
    painter.drawLine(QPointF(x, chart.top()), QPointF(x, chart.bottom()));
  }
  QRectF below(chart.left(), chart.bottom() + 2, chart.width(), kLine);
  paint::text(painter, below, mono_font(11), theme.text2, value_words(values.least));
  if (values.greatest > values.least)
    paint::text(painter, below, mono_font(11), theme.text2, value_words(values.greatest),
                Qt::AlignRight | Qt::AlignVCenter);
}

}  // namespace

QRectF bin_rect(QRectF const& box, int bin, int bins) {
  QRectF chart = chart_of(box);
  double wide = chart.width() / bins;
  return {chart.left() + bin * wide, chart.top(), wide, chart.height()};
}

void draw_histogram(QPainter& painter, QRectF const& box, Theme const& theme,
                    session::ValueStatistics const& values, int bin, QString const& words) {
  QRectF chart = chart_of(box);
  int64_t most = std::max<int64_t>(1, *std::ranges::max_element(values.bins));
  QFont const small = ui_font(11);
  auto fitting = [&](QString const& text) {
    return QFontMetricsF(small).elidedText(text, Qt::ElideRight, chart.width() - 2);
  };
  paint::text(painter, QRectF(chart.left(), box.top() + 2, chart.width(), kLine), small,
              theme.text2, fitting(scale_words(values, most)));
  bool logarithmic = values.wants_logarithm();
  auto height = [&](int64_t count) {
    double part = logarithmic ? std::log1p(double(count)) / std::log1p(double(most))
                              : double(count) / double(most);
    return count > 0 ? std::max(1.0, part * chart.height()) : 0.0;
  };
  painter.setPen(Qt::NoPen);
  for (int i = 0; i < int(values.bins.size()); ++i) {
    QRectF bar = bin_rect(box, i, int(values.bins.size()));
    bar.setTop(bar.bottom() - height(values.bins[size_t(i)]));
    painter.setBrush(i == bin ? theme.ink : Theme::mix(theme.hue(1), theme.panel, 0.75));
    painter.drawRect(bar.adjusted(0.5, 0, -0.5, 0));
  }
  draw_axis(painter, chart, theme, values);
  QRectF last(chart.left(), chart.bottom() + 2 + kLine, chart.width(), kLine);
  paint::text(painter, last, small, words.isEmpty() ? theme.text2 : theme.text1,
              fitting(words.isEmpty() ? QString("Hover over a bar to read it") : words));
}

}  // namespace tw::sheet
