// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/paint/chooser.h"

#include <QPainter>

namespace tw {

void Chooser::paintEvent(QPaintEvent* event) {
  QComboBox::paintEvent(event);
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(
      QPen(palette().color(QPalette::ButtonText), 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  QPointF tip(width() - 14, height() / 2.0 + 2);
  QPointF const chevron[] = {tip + QPointF(-4, -4), tip, tip + QPointF(4, -4)};
  painter.drawPolyline(chevron, 3);
}

}  // namespace tw
