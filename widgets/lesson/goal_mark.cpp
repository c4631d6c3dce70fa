// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/lesson/goal_mark.h"

#include <QPainterPath>

namespace tw {
namespace {

constexpr double kSize = 18;

}  // namespace

GoalMark::GoalMark(bool reached, Theme const& theme, QWidget* parent)
    : Canvas(parent), reached_(reached) {
  set_theme(theme);
  setFixedSize(pixels(QSizeF(kSize, kSize)));
  setProperty("role", "bare");
  setAccessibleName(reached ? "Reached" : "Open");
}

void GoalMark::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  QRectF disc = QRectF(0, 0, kSize, kSize).adjusted(2, 2, -2, -2);
  if (!reached_) {
    painter.setPen(QPen(theme_.text2, 1.6));
    painter.drawEllipse(disc);
    return;
  }
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme_.ok);
  painter.drawEllipse(disc);
  QPainterPath check(QPointF(5.6, 9.2));
  check.lineTo(8.2, 11.8);
  check.lineTo(12.6, 6.6);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme_.panel, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.drawPath(check);
}

LessonPicture::LessonPicture(QString const& file, QString const& words, QWidget* parent)
    : QLabel(parent), whole_(file) {
  setAccessibleName(words);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  if (whole_.isNull()) setText(words);
}

void LessonPicture::resizeEvent(QResizeEvent* event) {
  QLabel::resizeEvent(event);
  if (whole_.isNull() || width() <= 0) return;
  QPixmap shown = whole_.scaledToWidth(std::min(width(), whole_.width()), Qt::SmoothTransformation);
  setFixedHeight(shown.height());
  setPixmap(shown);
}

}  // namespace tw
