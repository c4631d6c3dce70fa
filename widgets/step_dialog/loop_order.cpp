// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/step_dialog/loop_order.h"

#include <QKeyEvent>

namespace tw {

LoopOrder::LoopOrder(QStringList const& loops, QWidget* parent) : QListWidget(parent) {
  setObjectName("loopOrder");
  setAccessibleName("Loops, the outermost first");
  setProperty("mono", true);
  setDragDropMode(QAbstractItemView::InternalMove);
  setDefaultDropAction(Qt::MoveAction);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setToolTip("Drag a loop to its place, or move it with Alt+Up and Alt+Down");
  addItems(loops);
  setCurrentRow(0);
  connect(model(), &QAbstractItemModel::rowsMoved, this, &LoopOrder::order_changed);
}

QStringList LoopOrder::order() const {
  QStringList loops;
  for (int row = 0; row < count(); ++row) loops << item(row)->text();
  return loops;
}

void LoopOrder::set_order(QStringList const& loops) {
  QStringList now = order(), other = loops;
  if (now == loops) return;
  now.sort();
  other.sort();
  if (now != other) return;
  QString current = currentItem() ? currentItem()->text() : QString();
  QSignalBlocker quiet(this);
  clear();
  addItems(loops);
  setCurrentRow(int(std::max<qsizetype>(0, loops.indexOf(current))));
}

void LoopOrder::move_current(int by) {
  int from = currentRow(), to = from + by;
  if (from < 0 || to < 0 || to >= count()) return;
  insertItem(to, takeItem(from));
  setCurrentRow(to);
  emit order_changed();
}

void LoopOrder::keyPressEvent(QKeyEvent* event) {
  bool moves = event->modifiers() & Qt::AltModifier;
  if (moves && event->key() == Qt::Key_Up) return move_current(-1);
  if (moves && event->key() == Qt::Key_Down) return move_current(1);
  QListWidget::keyPressEvent(event);
}

}  // namespace tw
