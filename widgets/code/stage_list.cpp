// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/code/stage_list.h"

#include <QAbstractItemView>
#include <QStyledItemDelegate>
#include <algorithm>

namespace tw {
namespace {

constexpr int kChange = Qt::UserRole + 1;

/// What a pass changed stands behind its name, in the list alone.
class WithChange : public QStyledItemDelegate {
public:
  using QStyledItemDelegate::QStyledItemDelegate;

protected:
  void initStyleOption(QStyleOptionViewItem* option, QModelIndex const& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    QString change = index.data(kChange).toString();
    if (!change.isEmpty()) option->text += "    " + change;
  }
};

}  // namespace

StageList::StageList(QWidget* parent) : Chooser(parent) { setItemDelegate(new WithChange(this)); }

void StageList::mark(QString const& key, int added, int removed) {
  int row = findData(key);
  if (row < 0) return;
  bool changed = added + removed > 0;
  setItemData(
      row,
      changed ? QStringLiteral("+%1 −%2").arg(added).arg(removed) : QStringLiteral("= no change"),
      kChange);
  setItemData(row,
              changed ? QString("%1, %2 lines added, %3 removed").arg(key).arg(added).arg(removed)
                      : key + ", changed nothing",
              Qt::AccessibleTextRole);
}

/// As wide as what stands behind the names.
void StageList::showPopup() {
  view()->setMinimumWidth(std::max(width(), view()->sizeHintForColumn(0) + 24));
  Chooser::showPopup();
}

}  // namespace tw
