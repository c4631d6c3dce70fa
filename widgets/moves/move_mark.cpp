// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/moves/move_mark.h"

#include <QFontMetricsF>
#include <QPainter>

#include "engine/support/base/quantities.h"
#include "widgets/paint/paint.h"

namespace tw {

bool is_worth_a_mark(session::MoveView const& move) {
  constexpr double kWorthIt = 1.01;
  return move.gain >= kWorthIt;
}

QString mark_words(session::MoveView const& move) {
  return QString::fromStdString(number_text(move.gain)) + QStringLiteral("×");
}

QString mark_name(session::MoveView const& move) {
  return "next: " + QString::fromStdString(move.effect) + ", " + mark_words(move) + " as fast";
}

double mark_width(session::MoveView const& move) {
  return QFontMetricsF(mono_font(11, 600)).horizontalAdvance(mark_words(move)) + 26;
}

void draw_move_mark(QPainter& painter, QRectF const& mark, session::MoveView const& move, bool lit,
                    Theme const& theme) {
  double round = std::min(9.0, mark.height() / 2);
  painter.setPen(QPen(lit ? theme.ink : theme.line3, 1));
  painter.setBrush(lit ? theme.hover : theme.control);
  painter.drawRoundedRect(mark.adjusted(0.5, 0.5, -0.5, -0.5), round, round);
  painter.setPen(QPen(theme.text2, 1.2));
  painter.setBrush(Qt::NoBrush);
  painter.drawEllipse(QPointF(mark.left() + 10, mark.center().y()), 3.2, 3.2);
  paint::text(painter, mark.adjusted(18, 0, -2, 0), mono_font(11, 600), theme.text1,
              mark_words(move));
}

}  // namespace tw
