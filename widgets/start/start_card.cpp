// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/start/start_card.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QPainter>
#include <cmath>

#include "widgets/paint/canvas.h"

namespace tw {

void StartCard::set_theme(Theme const& theme) {
  theme_ = theme;
  take_height();
  update();
}

/// The window's style sheet gives buttons a least height of their own, which a layout takes for
/// the whole truth.
void StartCard::take_height() {
  setStyleSheet(QString("QPushButton { min-height: %1px; padding: 0; border: none; }")
                    .arg(theme_.px(height_)));
  updateGeometry();
}

void StartCard::set_height(double height) {
  if (height == height_) return;
  height_ = height;
  take_height();
}

QSize StartCard::sizeHint() const {
  constexpr double kLeastWidth = 150;
  return {theme_.px(kLeastWidth), theme_.px(height_)};
}

void StartCard::paint_card(QPainter& painter, QRectF const& area) const {
  painter.setPen(QPen(theme_.line3, 1));
  painter.setBrush(is_hovered() ? theme_.hover : theme_.raised);
  painter.drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), 9, 9);
}

void StartCard::paintEvent(QPaintEvent*) {
  UnitPainter painter(this, theme_.scale);
  QRectF area(0, 0, width() / theme_.scale, height() / theme_.scale);
  paint(painter, area);
  if (!hasFocus()) return;
  painter.setPen(QPen(theme_.ink, 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(area.adjusted(1, 1, -1, -1), 9, 9);
}

void StartCard::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
      emit arrow_pressed(event->key());
      return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      click();
      return;
    default:
      QPushButton::keyPressEvent(event);
  }
}

QString words_within(double room, QFont const& font, QString const& words) {
  return QFontMetricsF(font).elidedText(words, Qt::ElideRight, room);
}

double words_width(QFont const& font, QString const& words) {
  return std::ceil(QFontMetricsF(font).horizontalAdvance(words)) + 1;
}

}  // namespace tw
