// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/paint/chooser.h"

#include <QPainter>
#include <QStyledItemDelegate>

namespace tw {

/// A box's own delegate knows nothing of the style sheet: its entries stood too near each other.
Chooser::Chooser(QWidget* parent) : QComboBox(parent) {
  setItemDelegate(new QStyledItemDelegate(this));
}

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
