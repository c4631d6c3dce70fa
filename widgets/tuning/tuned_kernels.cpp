// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/tuning/tuned_kernels.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>

#include "engine/support/base/quantities.h"
#include "widgets/paint/paint.h"
#include "widgets/paint/ratio_words.h"

namespace tw {

using session::KernelTurn;

namespace {

constexpr double kRow = 27, kHead = 28, kGap = 16;
constexpr double kNarrow = 700;  // without the columns that say the same again

struct Look {
  QString sign, words;
  QColor colour;
};

Look look_of(session::TunedKernelRow const& row, Theme const& theme) {
  switch (row.turn) {
    case KernelTurn::kSearched:
      return {QStringLiteral("●"), "searched now", theme.text1};
    case KernelTurn::kCompared:
      return {QStringLiteral("◐"), "comparing", theme.text1};
    case KernelTurn::kTuned:
      return {QStringLiteral("▲"), "tuned", theme.ok};
    case KernelTurn::kStays:
      return {QStringLiteral("○"), "stays", theme.text2};
    case KernelTurn::kLeftOut:
      return {QStringLiteral("✕"), "left out", theme.warn};
    default:
      return {QStringLiteral("○"), row.trials > 0 ? "waits again" : "waits", theme.text2};
  }
}

/// How much less time it takes: of the networks, else of the trials so far.
QString gain_of(session::TunedKernelRow const& row) {
  double gain = 0;
  bool over = row.turn == KernelTurn::kStays || row.turn == KernelTurn::kLeftOut;
  if (row.turn == KernelTurn::kTuned && row.after_ms > 0)
    gain = row.before_ms / row.after_ms;
  else if (!over && row.best_ms > 0 && row.default_ms > 0)
    gain = row.default_ms / row.best_ms;
  return gain > 0 ? paint::times_as_fast(gain) : QStringLiteral("·");
}

}  // namespace

TunedKernels::TunedKernels(QWidget* parent) : Canvas(parent) {
  setObjectName("tunedKernels");
  setAccessibleName("Kernels of the model's tuning");
  setFocusPolicy(Qt::StrongFocus);
}

void TunedKernels::show_kernels(std::vector<session::TunedKernelRow> rows, int current) {
  bool resized = rows.size() != rows_.size();
  rows_ = std::move(rows);
  QStringList names;
  for (session::TunedKernelRow const& row : rows_) names << QString::fromStdString(row.kernel);
  names_.set_names(names);
  current_ = current;
  if (resized) rescale();
  update();
}

QSize TunedKernels::sizeHint() const {
  return pixels(QSizeF(300, kHead + kRow * double(std::max<size_t>(1, rows_.size())) + 4));
}

QRectF TunedKernels::row_rect(size_t row) const {
  return {0, kHead + kRow * double(row), unit_width(), kRow};
}

/// The kernel's name takes what the others leave.
std::vector<TunedKernels::Column> TunedKernels::columns() const {
  bool narrow = unit_width() < kNarrow;
  std::vector<Column> all = {{"kernel", 36, 0, Qt::AlignLeft},
                             {"calls", 0, narrow ? 0.0 : 40.0},
                             {"before", 0, 66},
                             {"after", 0, narrow ? 0.0 : 66.0},
                             {"gain", 0, 54},
                             {"trials", 0, 50},
                             {"", 0, 100, Qt::AlignLeft}};
  double right = unit_width() - 12;
  for (size_t i = all.size(); i-- > 1;) {
    if (all[i].width == 0) continue;
    all[i].left = right - all[i].width;
    right = all[i].left - kGap;
  }
  all[0].width = std::max(40.0, right - all[0].left);
  return all;
}

std::vector<QString> TunedKernels::cells(session::TunedKernelRow const& row) const {
  QString after = row.after_ms > 0 ? paint::time(row.after_ms) : QStringLiteral("·");
  return {QString::fromStdString(row.kernel),
          QString::number(row.calls),
          paint::time(row.before_ms),
          after,
          gain_of(row),
          QString::number(row.trials),
          look_of(row, theme_).words};
}

void TunedKernels::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  std::vector<Column> shown = columns();
  for (Column const& column : shown)
    if (column.width > 0)
      paint::text(painter, QRectF(column.left, 4, column.width, 20), ui_font(11), theme_.text3,
                  column.title, column.side | Qt::AlignVCenter);
  painter.fillRect(QRectF(0, kHead - 1, unit_width(), 1), theme_.line1);
  for (size_t row = 0; row < rows_.size(); ++row) draw_row(painter, row, shown);
}

void TunedKernels::draw_row(QPainter& painter, size_t index,
                            std::vector<Column> const& shown) const {
  session::TunedKernelRow const& row = rows_[index];
  QRectF box = row_rect(index);
  Look look = look_of(row, theme_);
  bool current = row.row == current_;
  if (current) {
    painter.fillRect(box, theme_.control);
    painter.fillRect(QRectF(0, box.top(), 3, kRow), theme_.ink);
  }
  paint::text(painter, QRectF(14, box.top(), 18, kRow), ui_font(12), look.colour, look.sign);
  std::vector<QString> words = cells(row);
  for (size_t i = 0; i < shown.size(); ++i) {
    if (shown[i].width == 0) continue;
    bool is_state = i + 1 == shown.size();
    QFont font = i == 0 || is_state ? ui_font(12, is_state ? 400 : 500) : mono_font(12);
    QColor colour = is_state ? look.colour : i == 1 ? theme_.text2 : theme_.text1;
    QString cell = i == 0
                       ? names_.shown(qsizetype(index), font, shown[i].width)
                       : QFontMetricsF(font).elidedText(words[i], Qt::ElideMiddle, shown[i].width);
    paint::text(painter, QRectF(shown[i].left, box.top(), shown[i].width + 2, kRow), font, colour,
                cell, shown[i].side | Qt::AlignVCenter);
  }
  if (hasFocus() && current) paint::focus_ring(painter, box.adjusted(5, 3, -5, -3), theme_, 4);
}

int TunedKernels::row_at(QPointF at) const {
  int row = int((at.y() - kHead) / kRow);
  return at.y() >= kHead && row < int(rows_.size()) ? row : -1;
}

void TunedKernels::mousePressEvent(QMouseEvent* event) {
  int row = row_at(event->position());
  // Another kind's plan may have a kernel that this one's has not.
  if (row >= 0 && rows_[size_t(row)].row >= 0) emit kernel_chosen(rows_[size_t(row)].row);
}

void TunedKernels::mouseDoubleClickEvent(QMouseEvent* event) {
  if (row_at(event->position()) >= 0) emit kernel_entered();
}

void TunedKernels::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) return emit kernel_entered();
  auto at = std::ranges::find(rows_, current_, &session::TunedKernelRow::row) - rows_.begin();
  auto last = std::ptrdiff_t(rows_.size()) - 1;
  std::ptrdiff_t to = event->key() == Qt::Key_Up     ? at - 1
                      : event->key() == Qt::Key_Down ? (at > last ? 0 : at + 1)
                      : event->key() == Qt::Key_Home ? 0
                      : event->key() == Qt::Key_End  ? last
                                                     : -2;
  if (to == -2 || rows_.empty()) return QWidget::keyPressEvent(event);
  to = std::clamp<std::ptrdiff_t>(to, 0, last);
  if (to != at && rows_[size_t(to)].row >= 0) emit kernel_chosen(rows_[size_t(to)].row);
}

bool TunedKernels::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return Canvas::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  int row = row_at(units(help->pos()));
  QString words;
  if (row >= 0) {
    words = QString::fromStdString(rows_[size_t(row)].kernel);
    if (!rows_[size_t(row)].sentence.empty())
      words += "\n" + QString::fromStdString(rows_[size_t(row)].sentence);
  }
  QToolTip::showText(help->globalPos(), words, this);
  return true;
}

std::vector<Part> TunedKernels::parts() const {
  std::vector<Part> parts;
  for (size_t i = 0; i < rows_.size(); ++i) {
    session::TunedKernelRow const& row = rows_[i];
    QString words = QString("%1, %2, %3 before")
                        .arg(QString::fromStdString(row.kernel), look_of(row, theme_).words,
                             paint::time(row.before_ms));
    if (row.after_ms > 0) words += ", " + paint::time(row.after_ms) + " after";
    words += QString(", %1 trials").arg(row.trials);
    if (!row.sentence.empty()) words += ", " + QString::fromStdString(row.sentence);
    parts.push_back({row_rect(i), words, row.row == current_});
  }
  return parts;
}

}  // namespace tw
