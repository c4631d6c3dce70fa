// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/kernels/kernel_list.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "engine/support/base/quantities.h"
#include "widgets/paint/paint.h"

namespace tw {

namespace {
constexpr int kRow = 46, kHead = 28;
}

KernelList::KernelList(QWidget* parent) : Canvas(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setObjectName("kernels");
  setAccessibleName("Kernels");
}

void KernelList::show_kernels(std::shared_ptr<session::KernelTable const> table, int current) {
  table_ = std::move(table);
  current_ = current;
  setMinimumHeight(sizeHint().height());
  updateGeometry();
  update();
}

void KernelList::set_empty_words(QString const& words) {
  if (words == empty_words_) return;
  empty_words_ = words;
  update();
}

QSize KernelList::sizeHint() const {
  return pixels(QSizeF(272, kHead + kRow * (table_ ? int(table_->rows.size()) : 1) + 30));
}
QRectF KernelList::row_rect(int row) const {
  return QRectF(0, kHead + kRow * row, unit_width(), kRow);
}

namespace {

QString operations_words(session::KernelRow const& row) {
  QString millions = paint::number(double(row.flops) / 1e6);
  return millions + (row.integers ? QStringLiteral(" MOP") : QStringLiteral(" MFLOP"));
}

/// Its operations; where there are hardly any, what it moves.
QString work_words(session::KernelRow const& row) {
  bool moves = row.roof ? row.roof->moves_data : row.flops * 4 < row.bytes;
  if (moves) return paint::bytes(row.roof ? int64_t(row.roof->bytes) : row.bytes);
  if (row.roof && row.roof->unit == "GOP/s")  // of integers
    return QString("%1 MOP").arg(paint::number(row.roof->value * row.roof->ms));
  return operations_words(row);
}

/// A mark stands before what was measured while others used the processors.
QString time_words(session::KernelRow const& row) {
  if (!row.time_ms) return QStringLiteral("·");
  QString time = QString::fromStdString(milliseconds_text(*row.time_ms));
  return row.disturbed ? QStringLiteral("▲ ") + time : time;
}

/// How near to its roof, or where it ran, as the roofs are of another device.
QString last_words(session::KernelRow const& row) {
  if (!row.device.empty()) return QString::fromStdString(row.device);
  if (!row.helper.empty()) return QString::fromStdString(row.helper).section(':', -1);
  return row.fraction_of_roof ? QString::fromStdString(percent_text(*row.fraction_of_roof))
                              : QStringLiteral("·");
}

/// A part of the longest time.
void draw_share(QPainter& painter, Theme const& theme, QRectF track, double share) {
  painter.fillRect(track, theme.line1);
  track.setWidth(track.width() * share);
  painter.fillRect(track, theme.text2);
}

/// A part of the most work, while no time is known: dots, because nothing was measured.
void draw_work(QPainter& painter, Theme const& theme, QRectF const& track, double share) {
  for (double x = 0; x < track.width() * share; x += 6)
    painter.fillRect(QRectF(track.left() + x, track.top(), 2, 2), theme.line3);
}

QString words_of(session::KernelRow const& row) {
  QString words = QString("%1\n%2\n%3, %4")
                      .arg(QString::fromStdString(row.name), QString::fromStdString(row.operators),
                           operations_words(row), paint::bytes(row.bytes));
  if (row.roof)
    words += QString("\nat best %1: %2 on %3")
                 .arg(QString::fromStdString(milliseconds_text(row.roof->ms)),
                      QString::fromStdString(row.roof->words),
                      QString::fromStdString(count_text(row.roof->cores, "core")));
  if (row.time_ms)
    words += row.state == session::KernelState::kHand ? "\ntime with your schedule"
                                                      : "\ntime with the default schedule";
  if (!row.device.empty()) words += ", on " + QString::fromStdString(row.device);
  if (!row.helper.empty()) words += "\nruns on " + QString::fromStdString(row.helper);
  if (!row.stays_because.empty())
    words += "\nstays here: " + QString::fromStdString(row.stays_because);
  if (row.disturbed) words += ", measured while other programs used the processor";
  return words;
}

}  // namespace

std::vector<Part> KernelList::parts() const {
  std::vector<Part> parts;
  for (size_t i = 0; table_ && i < table_->rows.size(); ++i) {
    auto const& row = table_->rows[i];
    QString time = row.time_ms ? ", " + time_words(row) : QString();
    parts.push_back(
        {row_rect(int(i)), QString::fromStdString(row.name) + time, int(i) == current_});
  }
  return parts;
}

void KernelList::paintEvent(QPaintEvent*) {
  UnitPainter painter(this);
  painter.fillRect(unit_rect(), theme_.panel);
  if (!table_) return;
  if (table_->rows.empty()) {
    paint::paragraph(painter, QRectF(16, 16, unit_width() - 32, unit_height() - 20), ui_font(12),
                     theme_.text2, empty_words_);
    return;
  }
  double right = unit_width() - 14;
  paint::text(painter, QRectF(40, 4, 100, 20), ui_font(11), theme_.text3, "Kernel");
  paint::text(painter, QRectF(right - 114, 4, 66, 20), ui_font(11), theme_.text3, "time",
              Qt::AlignRight | Qt::AlignVCenter);
  paint::text(painter, QRectF(right - 44, 4, 44, 20), ui_font(11), theme_.text3, "of roof",
              Qt::AlignRight | Qt::AlignVCenter);
  double longest = 0;
  int64_t most = 1;
  for (auto const& row : table_->rows)
    longest = std::max(longest, row.time_ms.value_or(0) * row.count),
    most = std::max(most, row.flops * row.count);
  for (size_t i = 0; i < table_->rows.size(); ++i) {
    auto const& row = table_->rows[i];
    QRectF box = row_rect(int(i));
    if (int(i) == current_) {
      painter.fillRect(box, theme_.control);
      painter.fillRect(QRectF(0, box.top(), 3, box.height()), theme_.ink);
    } else if (int(i) == hovered_) {
      painter.fillRect(box, theme_.hover);
    }
    paint::kernel_state(painter, QPointF(22, box.top() + 16), theme_, row.state);
    QString name = QString::fromStdString(row.name);
    QString count = row.count > 1           ? QStringLiteral(" · ×%1").arg(row.count)
                    : !row.own_text.empty() ? QStringLiteral(" · yours")
                                            : QString();
    paint::text(painter, QRectF(40, box.top() + 4, right - 40, 18), mono_font(12, 600),
                theme_.text1, name);
    double beside = row.time_ms ? 116 : 62;  // what stands to the right of it
    paint::text(painter, QRectF(40, box.top() + 23, right - beside - 40, 16), mono_font(11),
                theme_.text3, work_words(row) + count);
    paint::text(painter, QRectF(right - 114, box.top() + 22, 66, 18), mono_font(12),
                row.disturbed ? theme_.warn : theme_.text1, time_words(row),
                Qt::AlignRight | Qt::AlignVCenter);
    paint::text(painter, QRectF(right - 44, box.top() + 22, 44, 18), mono_font(12), theme_.text2,
                last_words(row), Qt::AlignRight | Qt::AlignVCenter);
    QRectF track(40, box.top() + 41, right - 40, 2);
    if (longest <= 0)
      draw_work(painter, theme_, track, double(row.flops * row.count) / double(most));
    else if (row.time_ms)
      draw_share(painter, theme_, track, *row.time_ms * row.count / longest);
  }
}

void KernelList::mousePressEvent(QMouseEvent* event) {
  setFocus();
  int row = (int(event->position().y()) - kHead) / kRow;
  if (!table_ || event->position().y() < kHead || row >= int(table_->rows.size())) return;
  emit kernel_chosen(row);
  if (event->button() == Qt::LeftButton) emit kernel_entered();
}

void KernelList::contextMenuEvent(QContextMenuEvent* event) {
  if (!table_ || current_ < 0) return;
  bool by_key = event->reason() == QContextMenuEvent::Keyboard;
  QPoint at = pixels(row_rect(current_).center());
  emit menu_asked(current_, by_key ? mapToGlobal(at) : event->globalPos());
}

void KernelList::mouseMoveEvent(QMouseEvent* event) {
  int row = event->position().y() < kHead ? -1 : (int(event->position().y()) - kHead) / kRow;
  if (row == hovered_) return;
  hovered_ = row;
  if (table_ && row >= 0 && row < int(table_->rows.size())) {
    auto const& entry = table_->rows[size_t(row)];
    setToolTip(paint::wrapped(words_of(entry)));
  }
  update();
}

void KernelList::leaveEvent(QEvent*) {
  hovered_ = -1;
  update();
}

void KernelList::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) return emit kernel_entered();
  int step = event->key() == Qt::Key_Up ? -1 : event->key() == Qt::Key_Down ? 1 : 0;
  if (step == 0 || !table_) return QWidget::keyPressEvent(event);
  int row = std::clamp(current_ + step, 0, int(table_->rows.size()) - 1);
  if (row != current_) emit kernel_chosen(row);
}

}  // namespace tw
