// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/paint/floating.h"

#include <QPainter>
#include <QWidget>

namespace tw::paint {

void floating_ground(QWidget& widget) {
  QPainter painter(&widget);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(widget.palette().color(QPalette::PlaceholderText));
  painter.setBrush(widget.palette().color(QPalette::Window));
  painter.drawRoundedRect(QRectF(widget.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

}  // namespace tw::paint
