// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/step_dialog/layout_picture.h"

#include <QPainter>
#include <algorithm>

#include "widgets/paint/paint.h"

namespace tw {

LayoutPicture::LayoutPicture(QWidget* parent) : Canvas(parent) {
  setObjectName("layoutPicture");
  setAccessibleName("Order of the elements");
}

void LayoutPicture::show_path(session::LayoutPath path) {
  path_ = std::move(path);
  setAccessibleDescription(QString("the first %1 of %2 and %3 of %4")
                               .arg(path_.rows)
                               .arg(QString::fromStdString(path_.row))
                               .arg(path_.columns)
                               .arg(QString::fromStdString(path_.column)));
  update();
}

void LayoutPicture::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.inset);
  if (path_.cells.empty()) return;
  double pitch =
      std::min({(unit_width() - 36) / path_.columns, (unit_height() - 32) / path_.rows, 22.0});
  QPointF origin(26, 24);
  auto centre = [&](std::pair<int, int> cell) {
    return origin + QPointF((cell.second + 0.5) * pitch, (cell.first + 0.5) * pitch);
  };
  painter.setPen(QPen(theme_.line2, 1));
  painter.setBrush(Qt::NoBrush);
  for (auto const& cell : path_.cells)
    painter.drawRect(QRectF(centre(cell) - QPointF(pitch, pitch) / 2, QSizeF(pitch, pitch)));
  painter.setPen(QPen(theme_.hue(1), 1.6));
  for (size_t i = 1; i < path_.cells.size(); ++i)
    painter.drawLine(centre(path_.cells[i - 1]), centre(path_.cells[i]));
  painter.setBrush(theme_.ink);
  painter.setPen(Qt::NoPen);
  painter.drawEllipse(centre(path_.cells.front()), 3, 3);
  QString row = QString::fromStdString(path_.row), column = QString::fromStdString(path_.column);
  paint::text(painter, QRectF(8, 26, 16, 16), mono_font(11), theme_.text3, row);
  paint::text(painter, QRectF(28, 5, 60, 16), mono_font(11), theme_.text3, column);
}

}  // namespace tw
