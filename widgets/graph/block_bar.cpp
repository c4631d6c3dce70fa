// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/block_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <algorithm>

#include "widgets/paint/controls.h"
#include "widgets/paint/floating.h"

namespace tw {

BlockBar::BlockBar(QWidget* parent)
    : QWidget(parent),
      words_(new QLabel),
      count_(new QLabel),
      before_(controls::button(QStringLiteral("↑"), "blockBefore",
                               "Previous block of the same structure (Shift+Enter)")),
      next_(controls::button(QStringLiteral("↓"), "blockNext",
                             "Next block of the same structure (Enter)")),
      end_(controls::button(QStringLiteral("×"), "blocksEnd", "Clear the marks (Esc)")) {
  setObjectName("blockBar");
  setAccessibleName("Blocks of the same structure");
  words_->setObjectName("blockWords");
  words_->setWordWrap(true);
  count_->setObjectName("blockCount");
  count_->setAlignment(Qt::AlignCenter);
  before_->setAccessibleName("Previous block");
  next_->setAccessibleName("Next block");
  end_->setAccessibleName("End");
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(10, 6, 8, 6);
  row->setSpacing(6);
  row->addWidget(words_, 1);
  row->addWidget(count_);
  for (QPushButton* button : {before_, next_, end_}) {
    button->setFocusPolicy(Qt::TabFocus);
    row->addWidget(button);
  }
  set_theme({});
  connect(before_, &QPushButton::clicked, this, [this] { emit step_asked(-1); });
  connect(next_, &QPushButton::clicked, this, [this] { emit step_asked(1); });
  connect(end_, &QPushButton::clicked, this, &BlockBar::closed);
}

void BlockBar::show_blocks(QString const& words, int current, int count) {
  words_->setText(words);
  count_->setText(QString("%1 of %2").arg(current + 1).arg(count));
}

void BlockBar::set_theme(Theme const& theme) {
  most_ = theme.px(520);
  count_->setMinimumWidth(theme.px(60));
  for (QPushButton* button : {before_, next_, end_}) button->setFixedWidth(theme.px(34));
}

void BlockBar::fit(int width) {
  int wide = std::max(minimumSizeHint().width(), std::min(most_, width));
  setFixedSize(wide, std::max(minimumSizeHint().height(), layout()->totalHeightForWidth(wide)));
}

/// From a button the arrows go on, too; Esc ends it from anywhere.
void BlockBar::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) return emit closed();
  if (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down)
    return emit step_asked(event->key() == Qt::Key_Up ? -1 : 1);
  QWidget::keyPressEvent(event);
}

void BlockBar::paintEvent(QPaintEvent*) { paint::floating_ground(*this); }

}  // namespace tw
