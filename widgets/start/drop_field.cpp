// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/start/drop_field.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>

#include "widgets/paint/canvas.h"
#include "widgets/paint/controls.h"

namespace tw {

namespace {

constexpr double kIcon = 56, kPad = 20;

/// An arrow into a tray.
void paint_tray(QPainter& painter, QRectF const& box, QColor const& colour) {
  QPointF c = box.center();
  painter.setPen(QPen(colour, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.setBrush(Qt::NoBrush);
  painter.drawLine(c + QPointF(0, -10), c + QPointF(0, 5));
  painter.drawPolyline(QPolygonF{c + QPointF(-5, 0), c + QPointF(0, 5), c + QPointF(5, 0)});
  painter.drawPolyline(QPolygonF{c + QPointF(-5, -5), c + QPointF(-10, -5), c + QPointF(-10, 10),
                                 c + QPointF(10, 10), c + QPointF(10, -5), c + QPointF(5, -5)});
}

}  // namespace

DropField::DropField() {
  setObjectName("dropField");
  row_ = new QHBoxLayout(this);
  auto* words = new QVBoxLayout;
  title_ = controls::label("dropTitle", "title");
  title_->setText("Drop a model here");
  sentence_ = controls::label("dropSentence", "secondary", controls::Wrap::kYes);
  sentence_->setText(
      "ONNX files, and kernels as tensor expressions (.te). Unknown operators still open.");
  open_ = controls::button(QStringLiteral("Open…  Ctrl+O"), "open",
                           "Open a model, a kernel or a project (Ctrl+O)");
  open_->setProperty("primary", true);
  words->addStretch(1);
  words->addWidget(title_);
  words->addWidget(sentence_);
  words->addStretch(1);
  row_->addLayout(words, 1);
  row_->addWidget(open_, 0, Qt::AlignVCenter);
  connect(open_, &QPushButton::clicked, this, &DropField::open_asked);
}

void DropField::set_theme(Theme const& theme) {
  theme_ = theme;
  place();
  update();
}

void DropField::fit(bool narrow, double height) {
  narrow_ = narrow;
  height_ = height;
  place();
}

void DropField::place() {
  int icon = narrow_ ? theme_.px(kPad) : theme_.px(kPad + kIcon + 18);
  row_->setContentsMargins(icon, theme_.px(12), theme_.px(kPad), theme_.px(12));
  row_->setSpacing(theme_.px(16));
  setMinimumHeight(theme_.px(height_));
}

void DropField::paintEvent(QPaintEvent*) {
  UnitPainter painter(this, theme_.scale);
  QRectF area(0, 0, width() / theme_.scale, height() / theme_.scale);
  QPen dashes(theme_.line3, 1.2, Qt::CustomDashLine);
  dashes.setDashPattern({4, 3});
  painter.setPen(dashes);
  painter.setBrush(theme_.panel);
  painter.drawRoundedRect(area.adjusted(1, 1, -1, -1), 9, 9);
  if (narrow_) return;
  QRectF icon(kPad, area.center().y() - kIcon / 2, kIcon, kIcon);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme_.control);
  painter.drawRoundedRect(icon, 8, 8);
  paint_tray(painter, icon, theme_.text1);
}

}  // namespace tw
