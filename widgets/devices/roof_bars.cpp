// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/devices/roof_bars.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/paint/paint.h"

namespace tw {
namespace {
constexpr int kHead = 22, kRow = 22, kNames = 116, kLeastBar = 28;
}

RoofBars::RoofBars(QWidget* parent) : Canvas(parent) {
  setObjectName("roofBars");
  setProperty("tells", true);  // nothing in it can be clicked
  setAccessibleName("Roofs");
}

void RoofBars::show_roofs(std::vector<DeviceRoof> roofs) {
  roofs_ = std::move(roofs);
  setMinimumHeight(sizeHint().height());
  updateGeometry();
  update();
}

QSize RoofBars::sizeHint() const {
  return pixels(QSizeF(300, kHead + kRow * std::max(1, int(roofs_.size())) + 4));
}

QRectF RoofBars::row_rect(int row) const {
  return QRectF(0, kHead + kRow * row, unit_width(), kRow);
}

QString RoofBars::value_of(DeviceRoof const& roof) const {
  return paint::speed(roof.value, qPrintable(roof.unit));
}

/// What the longest value takes.
double RoofBars::values_width() const {
  double most = 0;
  for (DeviceRoof const& roof : roofs_)
    most = std::max(most, QFontMetricsF(mono_font(11.5)).horizontalAdvance(value_of(roof)));
  return std::ceil(most) + 4;
}

/// Where there is no room for bars, names and values have it.
std::optional<QRectF> RoofBars::track(int row) const {
  double wide = unit_width() - kNames - values_width() - 10;
  if (wide < kLeastBar) return std::nullopt;
  return QRectF(kNames, row_rect(row).top() + 8, wide, 6);
}

std::vector<Part> RoofBars::parts() const {
  std::vector<Part> parts;
  for (size_t i = 0; i < roofs_.size(); ++i)
    parts.push_back({row_rect(int(i)), roofs_[i].name + ", " + value_of(roofs_[i]), false});
  return parts;
}

void RoofBars::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  paint::text(painter, QRectF(0, 0, unit_width(), 18), ui_font(11), theme_.text3, "Roofs");
  if (roofs_.empty())
    return paint::text(painter, QRectF(0, kHead, unit_width(), kRow), ui_font(12), theme_.text2,
                       "measured when the device is used");
  double most[2] = {0, 0};  // bars of one unit are to the same scale
  for (DeviceRoof const& roof : roofs_)
    most[roof.compute] = std::max(most[roof.compute], roof.value);
  double values = values_width();
  size_t level = 0;
  for (size_t i = 0; i < roofs_.size(); ++i) {
    DeviceRoof const& roof = roofs_[i];
    QRectF box = row_rect(int(i));
    QFont font = ui_font(12);
    std::optional<QRectF> bar = track(int(i));
    double name = bar ? kNames - 8.0 : std::max(24.0, unit_width() - values - 8);
    paint::text(painter, QRectF(0, box.top(), name, kRow), font, theme_.text2,
                QFontMetricsF(font).elidedText(roof.name, Qt::ElideRight, name));
    paint::text(painter, QRectF(unit_width() - values, box.top(), values, kRow), mono_font(11.5),
                theme_.text1, value_of(roof), Qt::AlignRight | Qt::AlignVCenter);
    if (!bar) continue;
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme_.control);
    painter.drawRoundedRect(*bar, 3, 3);
    painter.setBrush(roof.compute
                         ? theme_.text1
                         : theme_.levels[i + 1 == roofs_.size() ? 3 : std::min(level, size_t(2))]);
    if (!roof.compute) ++level;  // the last one is main memory
    double share = most[roof.compute] > 0 ? roof.value / most[roof.compute] : 0;
    painter.drawRoundedRect(QRectF(bar->left(), bar->top(), std::max(3.0, bar->width() * share), 6),
                            3, 3);
  }
}

}  // namespace tw
