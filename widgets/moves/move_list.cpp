// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/moves/move_list.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <algorithm>
#include <cmath>

#include "engine/support/base/quantities.h"
#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr double kLeft = 16, kLine = 17, kTime = 62, kGain = 52;
constexpr double kNothing = 0.005;  // of the time: the model sees no difference

double height_of(QFont const& font, QString const& words, double wide) {
  QRectF room(0, 0, wide, 10000);
  return std::ceil(QFontMetricsF(font).boundingRect(room, Qt::TextWordWrap, words).height());
}

QString gain_words(session::MoveView const& move) {
  if (std::abs(move.gain - 1) < kNothing) return "as fast";
  return QString::fromStdString(number_text(move.gain)) + QStringLiteral("×");
}

QString elided(QFont const& font, QString const& words, double wide) {
  return QFontMetricsF(font).elidedText(words, Qt::ElideRight, wide);
}

/// How many they are, and what they begin with.
QString steps_words(session::MoveView const& move) {
  QString line = QString::fromStdString(move.line);
  int more = int(line.count(';'));
  return more ? QString("%1 steps: %2").arg(more + 1).arg(line) : line;
}

}  // namespace

MoveList::MoveList(QWidget* parent) : Canvas(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setObjectName("nextMoves");
  setAccessibleName("Suggestions");
}

void MoveList::show_moves(std::shared_ptr<session::MovesView const> moves) {
  bool looks = !moves;
  if (!looks && moves != moves_) {
    moves_ = std::move(moves);
    current_ = 0;
    hovered_ = -1;
    emit move_pointed({});
  }
  looking_ = looks;
  fit();
}

void MoveList::set_empty_words(QString const& words) {
  moves_ = nullptr;
  looking_ = false;
  empty_words_ = words;
  fit();
}

QString MoveList::head() const {
  return moves_ ? QString::fromStdString(moves_->sentence) + "." : empty_words_;
}

double MoveList::head_height() const {
  return 16 + height_of(ui_font(12), head(), unit_width() - 2 * kLeft) + 12;
}

double MoveList::row_height(int row) const {
  QString effect = QString::fromStdString(moves_->moves[size_t(row)].effect);
  return 8 + height_of(ui_font(12, 600), effect, unit_width() - 2 * kLeft) + 2 * kLine + 7;
}

QRectF MoveList::row_rect(int row) const {
  double top = head_height();
  for (int above = 0; above < row; ++above) top += row_height(above);
  return {0, top, unit_width(), row < rows() ? row_height(row) : 0};
}

void MoveList::fit() {
  setMinimumHeight(pixels(QSizeF(0, row_rect(rows()).top() + 8)).height());
  update();
}

void MoveList::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  if (looking_) painter.setOpacity(0.6);
  QRectF words(kLeft, 16, unit_width() - 2 * kLeft, head_height());
  paint::paragraph(painter, words, ui_font(12), theme_.text2, head());
  for (int row = 0; row < rows(); ++row) draw_row(painter, row);
}

void MoveList::draw_row(QPainter& painter, int row) const {
  session::MoveView const& move = moves_->moves[size_t(row)];
  QRectF box = row_rect(row);
  if (row == current_) {
    painter.fillRect(box, theme_.control);
    painter.fillRect(QRectF(0, box.top(), 3, box.height()), theme_.ink);
  } else if (row == hovered_) {
    painter.fillRect(box, theme_.hover);
  }
  bool faster = move.gain > 1 + kNothing;
  QColor colour = faster ? theme_.text1 : theme_.text2;
  QRectF words = box.adjusted(kLeft, 8, -kLeft, 0);
  double y = words.top() + paint::paragraph(painter, words, ui_font(12, 600), colour,
                                            QString::fromStdString(move.effect));
  double right = words.right(), name = words.width() - kTime - kGain - 16;
  paint::text(painter, QRectF(kLeft, y, name, kLine), ui_font(11), theme_.text2,
              elided(ui_font(11), QString::fromStdString(move.about), name - 2));
  paint::text(painter, QRectF(right - kGain, y, kGain, kLine), mono_font(11, 600), colour,
              gain_words(move), Qt::AlignRight | Qt::AlignVCenter);
  // Modelled, so it is never drawn as if it had been measured.
  QString time = paint::time(move.ms);
  double time_right = right - kGain - 4;
  double room = QFontMetricsF(mono_font(11)).horizontalAdvance(time);
  painter.setPen(QPen(theme_.text3, 1.2));
  painter.setBrush(Qt::NoBrush);
  painter.drawEllipse(QPointF(time_right - room - 9, y + kLine / 2), 3.2, 3.2);
  paint::text(painter, QRectF(time_right - kTime, y, kTime, kLine), mono_font(11), theme_.text2,
              time, Qt::AlignRight | Qt::AlignVCenter);
  double wide = words.width();
  paint::text(painter, QRectF(kLeft, y + kLine, wide, kLine), mono_font(11), theme_.text3,
              elided(mono_font(11), steps_words(move), wide - 2));
}

int MoveList::row_at(QPointF at) const {
  for (int row = 0; row < rows(); ++row)
    if (row_rect(row).contains(at)) return row;
  return -1;
}

void MoveList::select(int row) {
  current_ = std::clamp(row, 0, std::max(0, rows() - 1));
  emit move_pointed(line_of(current_));
  update();
}

/// What was found for another state is none of this one's.
QString MoveList::line_of(int row) const {
  bool known = !looking_ && row >= 0 && row < rows();
  return known ? QString::fromStdString(moves_->moves[size_t(row)].line) : QString();
}

void MoveList::choose(int row) {
  QString line = line_of(row);
  if (line.isEmpty()) return;
  emit move_pointed({});
  emit move_chosen(line);
}

void MoveList::mousePressEvent(QMouseEvent* event) {
  setFocus();
  int row = row_at(event->position());
  if (row < 0) return;
  select(row);
  if (event->button() == Qt::LeftButton) choose(row);
}

/// The steps are said in full only where they stand: a tooltip of the whole row would cover what
/// the other views show of it.
void MoveList::mouseMoveEvent(QMouseEvent* event) {
  int row = row_at(event->position());
  bool at_steps = row >= 0 && event->position().y() > row_rect(row).bottom() - kLine - 7;
  QString words = at_steps ? QString::fromStdString(moves_->moves[size_t(row)].line) : QString();
  setToolTip(paint::wrapped(words.replace("; ", "\n")));
  if (row == hovered_) return;
  hovered_ = row;
  emit move_pointed(line_of(row));
  update();
}

void MoveList::leaveEvent(QEvent*) {
  hovered_ = -1;
  emit move_pointed({});
  update();
}

void MoveList::focusOutEvent(QFocusEvent* event) {
  emit move_pointed({});
  Canvas::focusOutEvent(event);
}

void MoveList::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Up:
      return select(current_ - 1);
    case Qt::Key_Down:
      return select(current_ + 1);
    case Qt::Key_Home:
      return select(0);
    case Qt::Key_End:
      return select(rows() - 1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
      return choose(current_);
    default:
      Canvas::keyPressEvent(event);
  }
}

std::vector<Part> MoveList::parts() const {
  std::vector<Part> parts;
  for (int row = 0; row < rows(); ++row) {
    session::MoveView const& move = moves_->moves[size_t(row)];
    parts.push_back(
        {row_rect(row),
         QString("%1, %2, %3 modelled")
             .arg(QString::fromStdString(move.effect), gain_words(move), paint::time(move.ms)),
         row == current_});
  }
  return parts;
}

}  // namespace tw
