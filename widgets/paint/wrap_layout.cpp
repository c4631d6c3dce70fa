// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/paint/wrap_layout.h"

#include <algorithm>

namespace tw {
namespace {

/// A hidden widget; a space takes its room.
bool is_left_out(QLayoutItem* item) { return item->isEmpty() && !item->spacerItem(); }

}  // namespace

WrapLayout::WrapLayout(int spacing, QWidget* parent) : QLayout(parent) { setSpacing(spacing); }

WrapLayout::~WrapLayout() {
  while (QLayoutItem* item = takeAt(0)) delete item;
}

QLayoutItem* WrapLayout::takeAt(int index) {
  return index >= 0 && index < items_.size() ? items_.takeAt(index) : nullptr;
}

/// In one row.
QSize WrapLayout::sizeHint() const {
  int wide = 0, high = 0;
  for (QLayoutItem* item : items_) {
    if (is_left_out(item)) continue;
    wide += item->sizeHint().width() + (wide > 0 ? spacing() : 0);
    high = std::max(high, item->sizeHint().height());
  }
  QMargins around = contentsMargins();
  return {wide + around.left() + around.right(), high + around.top() + around.bottom()};
}

/// The widest of them has to fit.
QSize WrapLayout::minimumSize() const {
  QSize least;
  for (QLayoutItem* item : items_)
    if (!is_left_out(item)) least = least.expandedTo(item->minimumSize());
  QMargins around = contentsMargins();
  return least + QSize(around.left() + around.right(), around.top() + around.bottom());
}

void WrapLayout::setGeometry(QRect const& rect) {
  QLayout::setGeometry(rect);
  place(rect, true);
}

int WrapLayout::place(QRect const& rect, bool moves) const {
  QRect room = rect.marginsRemoved(contentsMargins());
  int x = room.left(), y = room.top(), row = 0;
  for (QLayoutItem* item : items_) {
    if (is_left_out(item)) continue;
    QSize size = item->sizeHint();
    if (x > room.left() && x + size.width() > room.right() + 1) {
      x = room.left();
      y += row + spacing();
      row = 0;
    }
    if (moves) item->setGeometry(QRect(QPoint(x, y), size));
    x += size.width() + spacing();
    row = std::max(row, size.height());
  }
  return y + row - rect.top() + contentsMargins().bottom();
}

}  // namespace tw
