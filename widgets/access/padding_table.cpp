// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/access/padding_table.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <cmath>

#include "widgets/paint/paint.h"

namespace tw {
namespace {

constexpr double kInset = 14, kHead = 46, kRow = 24, kNumber = 84;

QString passes(double value) {
  if (value < 0) return QStringLiteral("–");
  bool whole = std::abs(value - std::round(value)) < 1e-9;
  return QString::number(value, 'f', whole ? 0 : 1);
}

QString step_words(session::PaddingRow const& row) {
  return row.line.empty() ? QStringLiteral("as it stands") : QString::fromStdString(row.line);
}

}  // namespace

PaddingTable::PaddingTable(QWidget* parent) : Canvas(parent) {
  setObjectName("paddingTable");
  setAccessibleName("Layouts of the shared tensor");
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  hide();
}

void PaddingTable::show_paddings(View view) {
  view_ = std::move(view);
  setVisible(view_ && view_->rows.size() > 1);
  rescale();
  update();
}

void PaddingTable::rescale() {
  double rows = view_ ? double(view_->rows.size()) : 0;
  setFixedHeight(pixels(QSizeF(1, kHead + kRow * rows + 8)).height());
}

QRectF PaddingTable::row_rect(size_t row) const {
  return {0, kHead + kRow * double(row), unit_width(), kRow};
}

void PaddingTable::draw_row(QPainter& painter, size_t number) const {
  session::PaddingRow const& row = view_->rows[number];
  QRectF box = row_rect(number);
  bool taken = row.refusal.empty(), now = row.line.empty();
  if (int(number) == pointed_) painter.fillRect(box, theme_.hover);
  painter.fillRect(QRectF(kInset, box.top(), unit_width() - 2 * kInset, 1), theme_.line1);
  double right = unit_width() - kInset;
  QFont mono = mono_font(12);
  session::PaddingRow const& first = view_->rows.front();
  auto cell = [&](double from_right, QString const& words, QColor const& colour) {
    paint::text(painter, QRectF(right - kNumber * from_right, box.top(), kNumber - 4, kRow), mono,
                colour, words, Qt::AlignRight | Qt::AlignVCenter);
  };
  auto shade = [&](double value, double before) {
    return value < before - 1e-9 ? theme_.ok : value > before + 1e-9 ? theme_.warn : theme_.text1;
  };
  if (taken) {
    cell(4, passes(row.store), shade(row.store, first.store));
    cell(3, passes(row.load), shade(row.load, first.load));
    cell(2, now ? QStringLiteral("0") : QString::number(row.more_bytes), theme_.text2);
    cell(1, row.rows_aligned ? "yes" : "no", row.rows_aligned ? theme_.text2 : theme_.warn);
  }
  QFont font = now ? ui_font(12) : mono_font(12);
  double room = taken ? right - 4 * kNumber - kInset - 8 : (right - kInset) / 2;
  paint::text(painter, QRectF(kInset, box.top(), room, kRow), font,
              taken ? theme_.text1 : theme_.text3,
              QFontMetricsF(font).elidedText(step_words(row), Qt::ElideMiddle, room));
  if (taken) return;
  QFont small = ui_font(11);
  double rest = right - kInset - room - 8;
  paint::text(painter, QRectF(kInset + room + 8, box.top(), rest, kRow), small, theme_.text3,
              QFontMetricsF(small).elidedText("refused: " + QString::fromStdString(row.refusal),
                                              Qt::ElideRight, rest));
}

void PaddingTable::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  if (!view_) return;
  paint::text(painter, QRectF(kInset, 4, unit_width() - 2 * kInset, 20), ui_font(12, 600),
              theme_.text1, "Layouts of " + QString::fromStdString(view_->tensor));
  double right = unit_width() - kInset;
  char const* const heads[] = {"store", "load", "bytes more", "16-byte rows"};
  for (int i = 0; i < 4; ++i)
    paint::text(painter, QRectF(right - kNumber * (4 - i) - 10, 24, kNumber + 6, 18), ui_font(11),
                theme_.text3, heads[i], Qt::AlignRight | Qt::AlignVCenter);
  paint::text(painter, QRectF(kInset, 24, 160, 18), ui_font(11), theme_.text3,
              "passes of a request");
  for (size_t i = 0; i < view_->rows.size(); ++i) draw_row(painter, i);
  if (hasFocus() && size_t(current_) < view_->rows.size())
    paint::focus_ring(painter, row_rect(size_t(current_)).adjusted(6, 1, -6, -1), theme_, 4);
}

int PaddingTable::row_at(QPointF at) const {
  for (size_t i = 1; view_ && i < view_->rows.size(); ++i)
    if (row_rect(i).contains(at) && view_->rows[i].refusal.empty()) return int(i);
  return -1;
}

void PaddingTable::mouseMoveEvent(QMouseEvent* event) {
  int row = row_at(event->position());
  if (row == pointed_) return;
  pointed_ = row;
  setCursor(row < 0 ? Qt::ArrowCursor : Qt::PointingHandCursor);
  update();
}

void PaddingTable::leaveEvent(QEvent*) {
  pointed_ = -1;
  update();
}

void PaddingTable::mousePressEvent(QMouseEvent* event) {
  if (int row = row_at(event->position()); row > 0)
    emit step_asked(QString::fromStdString(view_->rows[size_t(row)].line));
}

void PaddingTable::keyPressEvent(QKeyEvent* event) {
  int rows = view_ ? int(view_->rows.size()) : 0;
  if (event->key() == Qt::Key_Up && current_ > 1) return --current_, update();
  if (event->key() == Qt::Key_Down && current_ + 1 < rows) return ++current_, update();
  bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (enter && current_ > 0 && current_ < rows && view_->rows[size_t(current_)].refusal.empty())
    return emit step_asked(QString::fromStdString(view_->rows[size_t(current_)].line));
  Canvas::keyPressEvent(event);
}

std::vector<Part> PaddingTable::parts() const {
  std::vector<Part> list;
  for (size_t i = 0; view_ && i < view_->rows.size(); ++i) {
    session::PaddingRow const& row = view_->rows[i];
    QString words = row.refusal.empty()
                        ? QString("%1: stores %2 passes, loads %3 passes, %4 bytes more")
                              .arg(step_words(row), passes(row.store), passes(row.load))
                              .arg(row.more_bytes)
                        : step_words(row) + ": refused, " + QString::fromStdString(row.refusal);
    list.push_back({row_rect(i), words, int(i) == current_ && hasFocus()});
  }
  return list;
}

}  // namespace tw
