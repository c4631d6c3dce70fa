// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/cost_table.h"

#include <QPainter>
#include <cmath>

#include "engine/support/base/quantities.h"
#include "widgets/paint/paint.h"
#include "widgets/paint/ratio_words.h"

namespace tw {

using session::Better;
using session::ComparedValue;

namespace {

constexpr int kRow = 24, kHead = 30, kNumber = 76, kChange = 104, kNames = 176;

QString value_words(std::optional<double> const& value, std::string const& unit) {
  if (!value) return QStringLiteral("–");
  if (unit == "B") return paint::bytes(int64_t(*value));
  if (unit == "%") return QString::fromStdString(percent_text(*value / 100));
  if (unit == "ms") return paint::time(*value);
  if (unit == "GFLOP/s") return paint::number(*value);
  return QString::fromStdString(many_text(*value));
}

QString name_words(ComparedValue const& row) {
  QString name = QString::fromStdString(row.name);
  return row.unit == "GFLOP/s" ? name + ", GFLOP/s" : name;
}

QString said_change(ComparedValue const& row) {
  auto times = row.after_over_before();
  return times ? ", " + paint::change_words(*times, row.unit == "ms") : QString();
}

}  // namespace

CostTable::CostTable(QWidget* parent) : Canvas(parent) {
  setObjectName("costs");
  setProperty("tells", true);  // nothing in it can be clicked
  setAccessibleName("Costs of both states");
}

void CostTable::show_comparison(std::shared_ptr<session::StateComparison const> comparison) {
  comparison_ = std::move(comparison);
  setMinimumHeight(sizeHint().height());
  updateGeometry();
  update();
}

QSize CostTable::sizeHint() const {
  int rows = comparison_ ? int(comparison_->values.size()) : 0;
  return pixels(QSizeF(kNames + 2 * kNumber + kChange + 24, kHead + kRow * rows + 8));
}

QSize CostTable::minimumSizeHint() const {
  return pixels(QSizeF(kNames + 2 * kNumber + kChange + 24, kHead + kRow));
}

void CostTable::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  if (!comparison_) return;
  double change = unit_width() - 12 - kChange, after = change - kNumber, before = after - kNumber;
  auto cell = [&](double x, double y, double wide, QFont const& font, QColor const& colour,
                  QString const& words, int flags) {
    paint::text(painter, QRectF(x, y, wide, kRow), font, colour,
                QFontMetricsF(font).elidedText(words, Qt::ElideRight, wide), flags);
  };
  int right = Qt::AlignRight | Qt::AlignVCenter, left = Qt::AlignLeft | Qt::AlignVCenter;
  cell(before, 3, kNumber - 8, ui_font(11), theme_.text3, "before", right);
  cell(after, 3, kNumber - 8, ui_font(11), theme_.text3, "after", right);
  cell(change, 3, kChange, ui_font(11), theme_.text3, "change", right);
  for (size_t i = 0; i < comparison_->values.size(); ++i) {
    ComparedValue const& row = comparison_->values[i];
    double y = kHead + kRow * double(i);
    painter.setPen(QPen(theme_.line1, 1));
    painter.drawLine(QPointF(12, y), QPointF(unit_width() - 12, y));
    cell(12, y, before - 16, ui_font(12), theme_.text2, name_words(row), left);
    cell(before, y, kNumber - 8, mono_font(12), theme_.text1, value_words(row.before, row.unit),
         right);
    cell(after, y, kNumber - 8, mono_font(12), theme_.text1, value_words(row.after, row.unit),
         right);
    auto times = row.after_over_before();
    if (!times || std::fabs(*times - 1) < 0.005) continue;
    bool less = *times < 1;
    bool better = row.better == Better::kLess ? less : !less;
    QColor colour = row.better == Better::kNeither ? theme_.text2
                    : better                       ? theme_.ok
                                                   : theme_.error;
    QString sign = row.better == Better::kNeither ? QString()
                   : better                       ? QStringLiteral("✓ ")
                                                  : QStringLiteral("▼ ");
    cell(change, y, kChange, mono_font(12, 500), colour,
         sign + paint::change_words(*times, row.unit == "ms"), right);
  }
}

std::vector<Part> CostTable::parts() const {
  std::vector<Part> parts;
  for (size_t i = 0; comparison_ && i < comparison_->values.size(); ++i) {
    ComparedValue const& row = comparison_->values[i];
    parts.push_back({QRectF(0, kHead + kRow * double(i), unit_width(), kRow),
                     QString("%1: %2 before, %3 after%4")
                         .arg(name_words(row), value_words(row.before, row.unit),
                              value_words(row.after, row.unit), said_change(row)),
                     false});
  }
  return parts;
}

}  // namespace tw
