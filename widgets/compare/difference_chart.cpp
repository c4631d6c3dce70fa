// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/difference_chart.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/paint/paint.h"
#include "widgets/paint/ratio_words.h"

namespace tw {

using session::KernelDifference;

namespace {

constexpr double kRow = 26, kHead = 56, kName = 150, kValue = 96;

double change_of(KernelDifference const& one) {
  return one.count * (*one.before_ms - *one.after_ms);
}

/// "2.31× faster": a sign and a word, since colours alone say nothing.
QString words_of(KernelDifference const& one) {
  double times = *one.speedup();
  if (std::fabs(std::log2(times)) < 0.007) return QStringLiteral("the same");
  return times > 1 ? QStringLiteral("✓ %1× faster").arg(paint::number(times))
                   : QStringLiteral("▼ %1× slower").arg(paint::number(1 / times));
}

}  // namespace

DifferenceChart::DifferenceChart(QWidget* parent) : Canvas(parent) {
  setObjectName("differences");
  setProperty("tells", true);  // nothing in it can be clicked
  setAccessibleName("Difference of each kernel");
}

void DifferenceChart::show_differences(std::vector<KernelDifference> kernels,
                                       QString const& otherwise) {
  std::erase_if(kernels, [](KernelDifference const& one) { return !one.speedup(); });
  std::ranges::stable_sort(kernels, std::greater<>(),
                           [](auto const& one) { return std::fabs(change_of(one)); });
  kernels_ = std::move(kernels);
  QStringList names;
  for (KernelDifference const& one : kernels_) names << QString::fromStdString(one.name);
  names_.set_names(names);
  otherwise_ = otherwise;
  setMinimumHeight(sizeHint().height());
  updateGeometry();
  update();
}

QSize DifferenceChart::sizeHint() const {
  return pixels(QSizeF(400, kHead + kRow * double(std::max<size_t>(kernels_.size(), 1)) + 12));
}

QRectF DifferenceChart::row_rect(size_t row) const {
  return {12, kHead + kRow * double(row), unit_width() - 24, kRow};
}

QRectF DifferenceChart::plot() const {
  double left = 12 + kName + 8;
  return {left, kHead, std::max(60.0, unit_width() - 12 - kValue - 8 - left),
          kRow * double(kernels_.size())};
}

double DifferenceChart::reach() const {
  double most = 1;
  for (KernelDifference const& one : kernels_)
    most = std::max(most, std::fabs(std::log2(*one.speedup())));
  return std::ceil(most);
}

QRectF DifferenceChart::bar(size_t row) const {
  QRectF area = plot();
  double half = area.width() / 2, way = std::log2(*kernels_[row].speedup()) / reach() * half;
  QRectF box(area.center().x(), row_rect(row).top() + 7, 0, kRow - 14);
  if (way >= 0)
    box.setRight(box.left() + std::max(way, 1.0));
  else
    box.setLeft(box.left() + std::min(way, -1.0));
  return box;
}

/// Of one run of the model, as far as both times are known.
QString DifferenceChart::total_words() const {
  double before = 0, after = 0;
  for (KernelDifference const& one : kernels_) {
    before += one.count * *one.before_ms;
    after += one.count * *one.after_ms;
  }
  return QString("%1 to %2 in one run of the model, %3")
      .arg(paint::time(before), paint::time(after), paint::change_words(after / before, true));
}

void DifferenceChart::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  if (kernels_.empty()) {
    paint::paragraph(painter, QRectF(16, 16, unit_width() - 32, unit_height() - 20), ui_font(12),
                     theme_.text2, otherwise_);
    return;
  }
  QFont font = ui_font(12);
  QRectF head(12, 8, unit_width() - 24, 18);
  paint::text(painter, head, font, theme_.text2,
              QFontMetricsF(font).elidedText(total_words(), Qt::ElideRight, head.width() - 2));
  draw_axis(painter);
  for (size_t row = 0; row < kernels_.size(); ++row) draw_row(painter, row);
}

void DifferenceChart::draw_axis(QPainter& painter) const {
  QRectF area = plot();
  double half = area.width() / 2;
  int end = int(reach()), step = std::max(1, (end + 1) / 2);
  for (int power = -end; power <= end; ++power) {
    if (power % step != 0) continue;
    double x = area.center().x() + power * half / end;
    painter.setPen(QPen(power == 0 ? theme_.line3 : theme_.line1, power == 0 ? 1.5 : 1));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    QString words =
        power < 0 ? QString("1/%1×").arg(std::exp2(-power)) : QString("%1×").arg(std::exp2(power));
    paint::text(painter, QRectF(x - 26, area.top() - 20, 52, 16), mono_font(11), theme_.text3,
                words, Qt::AlignCenter);
  }
}

void DifferenceChart::draw_row(QPainter& painter, size_t row) const {
  KernelDifference const& one = kernels_[row];
  QRectF box = row_rect(row);
  QFont name = mono_font(11);
  paint::text(painter, QRectF(box.left(), box.top(), kName, kRow), name, theme_.text1,
              names_.shown(qsizetype(row), name, kName - 2));
  QString words = words_of(one);
  QColor colour = words.startsWith(QStringLiteral("✓"))   ? theme_.ok
                  : words.startsWith(QStringLiteral("▼")) ? theme_.error
                                                          : theme_.text2;
  painter.fillRect(bar(row), colour);
  QFont value = ui_font(11, 500);
  paint::text(painter, QRectF(box.right() - kValue, box.top(), kValue, kRow), value, colour, words,
              Qt::AlignRight | Qt::AlignVCenter);
}

std::vector<Part> DifferenceChart::parts() const {
  std::vector<Part> parts;
  for (size_t row = 0; row < kernels_.size(); ++row) {
    KernelDifference const& one = kernels_[row];
    parts.push_back(
        {row_rect(row), QString("%1: %2 at %3, %4 at %5, %6")
                            .arg(QString::fromStdString(one.name), paint::time(*one.before_ms),
                                 QString::fromStdString(one.before), paint::time(*one.after_ms),
                                 QString::fromStdString(one.after), words_of(one))});
  }
  return parts;
}

}  // namespace tw
