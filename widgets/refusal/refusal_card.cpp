// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/refusal/refusal_card.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>

#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr size_t kMostRepairs = 3;  // a key each

}  // namespace

RefusalCard::RefusalCard(QWidget* parent) : Canvas(parent) {
  setObjectName("refusal");
  setAccessibleName("Refused step");
  hide();
}

void RefusalCard::show_refusal(std::shared_ptr<session::RefusalView const> view) {
  view_ = std::move(view);
  setVisible(view_ != nullptr);
  if (view_) {
    setAccessibleDescription(QString::fromStdString(view_->title + ". " + view_->message));
    raise();
  }
  update();
}

/// Left edges of the three columns; without a conflict the words take two. Repairs are lines of a
/// script: they keep the room that most of them need.
double RefusalCard::column(int index, double card) const {
  double inner = card - 48;
  if (index == 0) return 24;
  bool pair = view_ && view_->conflict, narrow = card < 1100;
  if (index == 1) return 24 + inner * (!pair ? 0.58 : narrow ? 0.34 : 0.36);
  return std::min(24 + inner * (pair ? 0.70 : 0.66), card - 24 - 360);
}

double RefusalCard::height_for(double wide) const {
  if (!view_) return 0;
  QRectF box(0, 0, column(1, wide) - column(0, wide) - 24, 0);
  double words = 52 + lay_message(nullptr, box) + 12 + 74;
  size_t repairs = shown_repairs();
  return std::max(words, repairs ? repair_rect(repairs - 1, wide).bottom() + 32 : 0.0);
}

/// The message from the top down. Its lines of code, one nest below another, are in a face of equal
/// widths. The height that is used; without a painter nothing else is done.
double RefusalCard::lay_message(QPainter* painter, QRectF const& box) const {
  double y = box.top();
  for (QString const& line : QString::fromStdString(view_->message).split('\n')) {
    bool code = line.startsWith("    ");
    QFont font = code ? mono_font(11) : ui_font(12.5);
    QRectF row(box.left() + (code ? 12 : 0), y, box.width() - (code ? 12 : 0), 4000);
    row.setHeight(QFontMetricsF(font).boundingRect(row, Qt::TextWordWrap, line.trimmed()).height());
    if (painter) paint::paragraph(*painter, row, font, theme_.text1, line.trimmed());
    y = row.bottom() + (code ? 3 : 5);
  }
  return y - box.top();
}

void RefusalCard::paintEvent(QPaintEvent*) {
  if (!view_) return;
  UnitPainter painter(this);
  painter.setPen(QPen(theme_.line2, 1));
  painter.setBrush(theme_.raised);
  painter.drawRoundedRect(unit_rect().adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
  painter.setPen(Qt::NoPen);
  painter.setBrush(view_->undecided ? theme_.warn : theme_.error);
  painter.drawRoundedRect(QRectF(0, 0, unit_width(), 4), 2, 2);
  draw_words(painter);
  if (view_->conflict) draw_conflict(painter);
  draw_repairs(painter);
  paint::text(painter, QRectF(unit_width() - 320, unit_height() - 26, 300, 18), ui_font(11),
              theme_.text3, "Esc closes this card · nothing was changed",
              Qt::AlignRight | Qt::AlignVCenter);
}

void RefusalCard::draw_words(QPainter& painter) const {
  double left = column(0), wide = column(1) - left - 24;
  QColor status = view_->undecided ? theme_.warn : theme_.error;
  painter.setPen(Qt::NoPen);
  painter.setBrush(status);
  painter.drawEllipse(QPointF(left + 8, 30), 8, 8);
  painter.setPen(QPen(theme_.raised, 2));
  painter.drawLine(QPointF(left + 4.5, 33.5), QPointF(left + 11.5, 26.5));
  paint::text(painter, QRectF(left + 26, 18, wide - 26, 24), ui_font(15, 600), theme_.text1,
              QString::fromStdString(view_->title));
  QRectF box(left, 52, wide, unit_height() - 52 - 74);
  double used = lay_message(&painter, box);
  if (view_->condition.empty()) return;
  double y = std::min(box.top() + used + 8, unit_height() - 66);
  paint::text(painter, QRectF(left, y, wide, 16), ui_font(11), theme_.text3,
              "Condition that does not hold");
  paint::paragraph(painter, QRectF(left, y + 18, wide, unit_height() - y - 22), ui_font(12),
                   theme_.text2, QString::fromStdString(view_->condition));
}

/// Iterations of the loop along the top, A and B ringed; one cell of the tensor at the right.
void RefusalCard::draw_conflict(QPainter& painter) const {
  session::ConflictView const& conflict = *view_->conflict;
  double left = column(1), wide = column(2) - left - 24;
  paint::text(painter, QRectF(left, 18, wide, 22), ui_font(12, 600), theme_.text1,
              "Two iterations that conflict");
  int64_t a = 0, b = 0;
  QString rest;
  for (size_t i = 0; i < conflict.first.loops.size(); ++i) {
    auto const& [name, value] = conflict.first.loops[i];
    if (name == conflict.differs)
      a = value, b = conflict.second.loops[i].second;
    else if (value == conflict.second.loops[i].second)
      rest += QString("%1%2 %3")
                  .arg(rest.isEmpty() ? "" : ", ")
                  .arg(QString::fromStdString(name))
                  .arg(value);
  }
  paint::text(painter, QRectF(left, 44, wide, 16), mono_font(11), theme_.text3,
              QString::fromStdString(conflict.differs));
  double pitch = std::min(30.0, (wide - 120) / 8), y = 92;
  bool near = a < 8 && b < 8;  // otherwise the two are drawn side by side with their numbers
  auto x_of = [&](int64_t value) {
    return left + 12 + pitch * (near ? double(value) : value == std::min(a, b) ? 1.0 : 5.0);
  };
  for (int i = 0; near && i < 8; ++i) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme_.line3);
    painter.drawEllipse(QPointF(x_of(i), y), 2.6, 2.6);
  }
  QPointF cell(left + wide - 46, y + 30);
  for (int64_t value : {a, b}) {
    bool first = value == a;
    QPointF at(x_of(value), y);
    paint::text(painter, QRectF(at.x() - 24, y - 34, 48, 16), mono_font(11), theme_.text2,
                QString::number(value), Qt::AlignCenter);
    painter.setPen(
        QPen(theme_.error, 2, first || conflict.second_writes ? Qt::SolidLine : Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    QPainterPath path(at + QPointF(9, 0));
    path.cubicTo(at + QPointF(50, first ? -34 : 46), cell + QPointF(-50, first ? -30 : 20), cell);
    painter.drawPath(path);
    painter.setPen(QPen(theme_.error, 2));
    painter.setBrush(theme_.raised);
    painter.drawEllipse(at, 9, 9);
    paint::text(painter, QRectF(at.x() - 9, at.y() - 9, 18, 18), ui_font(11, 600), theme_.text1,
                first ? "A" : "B", Qt::AlignCenter);
  }
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme_.error);
  painter.drawRoundedRect(QRectF(cell.x() - 2, cell.y() - 7, 14, 14), 2, 2);
  paint::text(painter, QRectF(left, cell.y() + 30, wide, 18), mono_font(12), theme_.error,
              QString::fromStdString(conflict.element), Qt::AlignRight | Qt::AlignVCenter);
  paint::text(painter, QRectF(left, cell.y() + 48, wide, 16), ui_font(11), theme_.text3,
              conflict.second_writes ? "both write here" : "one writes, one reads here",
              Qt::AlignRight | Qt::AlignVCenter);
  if (!rest.isEmpty())
    paint::paragraph(painter, QRectF(left, cell.y() + 72, wide, unit_height() - cell.y() - 100),
                     ui_font(11), theme_.text3, "All other loops at the same iteration: " + rest);
}

/// The steps of a repair: in one line where they fit it, else each in its own.
QString RefusalCard::steps_of(size_t index, double wide) const {
  QString steps = QString::fromStdString(view_->repairs[index].step);
  if (QFontMetricsF(mono_font(12, 600)).horizontalAdvance(steps) > wide) steps.replace("; ", ";\n");
  return steps;
}

/// Of the repair's box in a card: below the ones before it, as high as its steps need.
QRectF RefusalCard::repair_rect(size_t index, double card) const {
  double wide = card - column(2, card) - 24, top = 46, height = 0;
  for (size_t i = 0; i <= index; ++i) {
    top += i > 0 ? height + 6 : 0;
    QRectF const room(0, 0, wide - 44, 4000);
    height = 32 + QFontMetricsF(mono_font(12, 600))
                      .boundingRect(room, Qt::TextWordWrap, steps_of(i, room.width()))
                      .height();
  }
  return QRectF(column(2, card), top, wide, height);
}

size_t RefusalCard::shown_repairs() const {
  return view_ ? std::min<size_t>(view_->repairs.size(), kMostRepairs) : 0;
}

void RefusalCard::draw_repairs(QPainter& painter) const {
  double left = column(2), wide = unit_width() - left - 24;
  paint::text(painter, QRectF(left, 18, wide, 22), ui_font(12, 600), theme_.text1,
              view_->repairs.empty() ? "No repair was found" : "Legal steps instead");
  if (!view_->repairs.empty())
    paint::text(painter, QRectF(left, 18, wide, 22), ui_font(11), theme_.text3,
                shown_repairs() > 1 ? QString("press 1 to %1").arg(shown_repairs()) : "press 1",
                Qt::AlignRight | Qt::AlignVCenter);
  for (size_t i = 0; i < shown_repairs(); ++i) {
    QRectF box = repair_rect(i, unit_width());
    painter.setPen(QPen(i == 0 ? theme_.ink : theme_.line2, i == 0 ? 1.5 : 1));
    painter.setBrush(theme_.control);
    painter.drawRoundedRect(box, 6, 6);
    paint::text(painter, QRectF(box.left() + 10, box.top() + 6, 18, 18), mono_font(11),
                theme_.text3, QString::number(i + 1), Qt::AlignCenter);
    QRectF steps = box.adjusted(34, 6, -10, -26),
           below(steps.left(), box.bottom() - 24, steps.width(), 18);
    paint::paragraph(painter, steps, mono_font(12, 600), theme_.text1, steps_of(i, steps.width()));
    paint::text(painter, below, ui_font(11), theme_.ok, QStringLiteral("✓ legal, proved"));
    paint::text(painter, below, ui_font(11), theme_.text2,
                QString::fromStdString(view_->repairs[i].effect),
                Qt::AlignRight | Qt::AlignVCenter);
  }
}

void RefusalCard::mousePressEvent(QMouseEvent* event) {
  for (size_t i = 0; i < shown_repairs(); ++i)
    if (repair_rect(i, unit_width()).contains(event->position()))
      return emit repair_chosen(QString::fromStdString(view_->repairs[i].step));
}

}  // namespace tw
