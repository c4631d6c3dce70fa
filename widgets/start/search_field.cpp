// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/start/search_field.h"

#include <QPainter>

#include "widgets/paint/paint.h"

namespace tw {

namespace {

constexpr char kWords[] = "Open a model, a kernel or a command";
constexpr char kKeys[] = "Ctrl+Shift+P";

}  // namespace

SearchField::SearchField() : StartCard(kHeight) {
  setObjectName("searchField");
  setAccessibleName(kWords);
  setToolTip(QString("%1 (%2)").arg(kWords, kKeys));
}

void SearchField::paint_glass(QPainter& painter, QPointF centre) const {
  painter.setPen(QPen(theme_.text2, 1.4));
  painter.setBrush(Qt::NoBrush);
  painter.drawEllipse(centre + QPointF(-1, -1.5), 4.5, 4.5);
  painter.drawLine(centre + QPointF(2.5, 2), centre + QPointF(6, 5.5));
}

void SearchField::paint(QPainter& painter, QRectF const& area) const {
  bool small = area.width() < kLeast;
  painter.setPen(small ? QPen(Qt::NoPen) : QPen(theme_.line3, 1));
  painter.setBrush(is_hovered() ? theme_.hover : small ? theme_.panel : theme_.control);
  painter.drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
  if (small) return paint_glass(painter, area.center() - QPointF(1, 0.5));
  double middle = area.center().y();
  paint_glass(painter, {18, middle});
  QFont keys = mono_font(11);
  double wide = words_width(keys, paint::unligated(kKeys));
  paint::text(painter, QRectF(area.right() - wide - 10, area.top(), wide, area.height()), keys,
              theme_.text3, kKeys);
  QRectF room(36, area.top(), area.width() - 36 - wide - 22, area.height());
  paint::text(painter, room, ui_font(12), theme_.text2,
              words_within(room.width(), ui_font(12), kWords));
}

}  // namespace tw
