// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QDrag>
#include <QKeyEvent>
#include <QMimeData>
#include <QMouseEvent>
#include <QPainter>
#include <cmath>

#include "widgets/accessible/roles.h"
#include "widgets/loop_nest/loop_nest_view.h"
#include "widgets/paint/paint.h"

namespace tw {

StepChip::StepChip(QString primitive, QString key, QString title, session::LoopMark mark,
                   QWidget* parent)
    : Canvas(parent), primitive_(std::move(primitive)), key_(std::move(key)), mark_(mark) {
  setProperty(kPaintedButton, true);  // before its name is told
  setObjectName("chip_" + primitive_);
  setAccessibleName(title);
  setToolTip(QString("%1\nDrop on a loop, or press %2").arg(title, key_));
  setCursor(Qt::OpenHandCursor);
  setFocusPolicy(Qt::TabFocus);
  rescale();
}

void StepChip::rescale() {
  bool drawn = mark_ != session::LoopMark::kSerial;
  double words = QFontMetricsF(ui_font(12)).horizontalAdvance(primitive_);
  setFixedSize(pixels(QSizeF(drawn ? 46 : std::ceil(words) + 36, 26)));
}

void StepChip::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.setPen(QPen(theme_.line3, 1));
  painter.setBrush(theme_.control);
  painter.drawRoundedRect(unit_rect().adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
  if (mark_ == session::LoopMark::kSerial)
    paint::text(painter, QRectF(8, 0, unit_width() - 28, unit_height()), ui_font(12), theme_.text1,
                primitive_);
  else
    paint::loop_glyph(painter, QPointF(9, unit_height() / 2.0), theme_, mark_, theme_.text1);
  paint::text(painter, QRectF(unit_width() - 20, 0, 14, unit_height()), mono_font(11), theme_.text3,
              key_, Qt::AlignCenter);
}

void StepChip::mousePressEvent(QMouseEvent* event) { press_ = event->pos(); }

void StepChip::mouseReleaseEvent(QMouseEvent* event) {
  if (unit_rect().contains(event->pos())) emit clicked(primitive_);
}

void StepChip::keyPressEvent(QKeyEvent* event) {
  bool pressed = event->key() == Qt::Key_Space || event->key() == Qt::Key_Return ||
                 event->key() == Qt::Key_Enter;
  if (pressed) return emit clicked(primitive_);
  QWidget::keyPressEvent(event);
}

void StepChip::mouseMoveEvent(QMouseEvent* event) {
  if ((event->pos() - press_).manhattanLength() < QApplication::startDragDistance()) return;
  auto* drag = new QDrag(this);
  auto* carried = new QMimeData;
  carried->setData("application/x-tilewright-primitive", primitive_.toUtf8());
  drag->setMimeData(carried);
  drag->setPixmap(grab());
  // Above the pointer: what it would do stands below.
  drag->setHotSpot({-pixels(QPointF(16, 0)).x(), height() + pixels(QPointF(0, 4)).y()});
  drag->exec(Qt::CopyAction);
}

}  // namespace tw
