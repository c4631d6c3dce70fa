// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/kernels/kernel_list.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "widgets/paint/paint.h"

namespace tw {

namespace {
constexpr int kRow = 46, kHead = 28;
}

KernelList::KernelList(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setObjectName("kernels");
  setAccessibleName("Kernels");
}

void KernelList::set_theme(Theme const& theme) {
  theme_ = theme;
  update();
}

void KernelList::show_kernels(std::shared_ptr<session::KernelTable const> table, int current) {
  table_ = std::move(table);
  current_ = current;
  setMinimumHeight(sizeHint().height());
  updateGeometry();
  update();
}

QSize KernelList::sizeHint() const {
  return {272, kHead + kRow * (table_ ? int(table_->rows.size()) : 1) + 30};
}
QRectF KernelList::row_rect(int row) const { return QRectF(0, kHead + kRow * row, width(), kRow); }

std::vector<Part> KernelList::parts() const {
  std::vector<Part> parts;
  for (size_t i = 0; table_ && i < table_->rows.size(); ++i) {
    auto const& row = table_->rows[i];
    QString time = row.time_ms ? ", " + paint::number(*row.time_ms) + " milliseconds" : QString();
    parts.push_back(
        {row_rect(int(i)), QString::fromStdString(row.name) + time, int(i) == current_});
  }
  return parts;
}

void KernelList::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(rect(), theme_.panel);
  if (!table_) return;
  double right = width() - 14;
  paint::text(painter, QRectF(40, 4, 100, 20), ui_font(11), theme_.text3, "Kernel");
  paint::text(painter, QRectF(right - 118, 4, 56, 20), ui_font(11), theme_.text3, "ms",
              Qt::AlignRight | Qt::AlignVCenter);
  paint::text(painter, QRectF(right - 52, 4, 52, 20), ui_font(11), theme_.text3, "of roof",
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
    paint::text(painter, QRectF(40, box.top() + 23, right - 112 - 40, 16), mono_font(11),
                theme_.text3,
                QString("%1 MFLOP").arg(paint::number(double(row.flops) / 1e6)) + count);
    paint::text(painter, QRectF(right - 110, box.top() + 22, 54, 18), mono_font(12), theme_.text1,
                row.time_ms ? paint::number(*row.time_ms) : QStringLiteral("·"),
                Qt::AlignRight | Qt::AlignVCenter);
    paint::text(painter, QRectF(right - 52, box.top() + 22, 52, 18), mono_font(12), theme_.text2,
                row.fraction_of_roof ? QString("%1 %").arg(100 * *row.fraction_of_roof, 0, 'f',
                                                           *row.fraction_of_roof < 0.1 ? 1 : 0)
                                     : QStringLiteral("·"),
                Qt::AlignRight | Qt::AlignVCenter);
    // Share of the time; while it is not known the share of the work, hollow.
    double share = longest > 0 ? row.time_ms.value_or(0) * row.count / longest
                               : double(row.flops * row.count) / double(most);
    QRectF track(40, box.top() + 41, right - 40, 2);
    painter.fillRect(track, theme_.line1);
    painter.fillRect(QRectF(track.left(), track.top(), track.width() * share, track.height()),
                     longest > 0 ? theme_.text2 : theme_.line3);
  }
}

void KernelList::mousePressEvent(QMouseEvent* event) {
  setFocus();
  int row = (int(event->position().y()) - kHead) / kRow;
  if (table_ && event->position().y() >= kHead && row < int(table_->rows.size()))
    emit kernel_chosen(row);
}

void KernelList::mouseMoveEvent(QMouseEvent* event) {
  int row = event->position().y() < kHead ? -1 : (int(event->position().y()) - kHead) / kRow;
  if (row == hovered_) return;
  hovered_ = row;
  if (table_ && row >= 0 && row < int(table_->rows.size())) {
    auto const& entry = table_->rows[size_t(row)];
    setToolTip(QString("%1\n%2\n%3 MFLOP, %4")
                   .arg(QString::fromStdString(entry.name), QString::fromStdString(entry.operators),
                        paint::number(double(entry.flops) / 1e6), paint::bytes(entry.bytes)));
  }
  update();
}

void KernelList::leaveEvent(QEvent*) {
  hovered_ = -1;
  update();
}

void KernelList::keyPressEvent(QKeyEvent* event) {
  int step = event->key() == Qt::Key_Up ? -1 : event->key() == Qt::Key_Down ? 1 : 0;
  if (step == 0 || !table_) return QWidget::keyPressEvent(event);
  int row = std::clamp(current_ + step, 0, int(table_->rows.size()) - 1);
  if (row != current_) emit kernel_chosen(row);
}

}  // namespace tw
