// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/find_bar.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <algorithm>

#include "widgets/paint/floating.h"

namespace tw {

FindBar::FindBar(QWidget* parent)
    : QWidget(parent),
      line_(new QLineEdit),
      count_(new QLabel),
      what_(new QLabel),
      before_(new QPushButton(QStringLiteral("↑"))),
      next_(new QPushButton(QStringLiteral("↓"))),
      only_(new QCheckBox("Only matches")) {
  setObjectName("findBar");
  line_->setObjectName("findLine");
  line_->setPlaceholderText("Find a node, an operator or a tensor");
  line_->setAccessibleName("Find in the graph");
  line_->setToolTip("op:, kernel:, tensor: or name: before a word searches only that field");
  line_->installEventFilter(this);
  count_->setObjectName("findCount");
  count_->setAlignment(Qt::AlignCenter);
  before_->setAccessibleName("Previous match");
  before_->setToolTip("Previous match (Shift+F3)");
  next_->setAccessibleName("Next match");
  next_->setToolTip("Next match (F3)");
  what_->setObjectName("findWhat");
  what_->setAccessibleName("Search results");
  what_->setTextFormat(Qt::PlainText);
  what_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // its words are cut to fit
  only_->setObjectName("findOnly");
  only_->setAccessibleName("Only matches: the rest of the graph is dimmed");
  only_->setToolTip("Dim nodes that do not match");
  only_->installEventFilter(this);
  auto* rows = new QVBoxLayout(this);
  rows->setContentsMargins(8, 6, 8, 6);
  rows->setSpacing(4);
  auto* row = new QHBoxLayout;
  auto* below = new QHBoxLayout;
  rows->addLayout(row);
  rows->addLayout(below);
  below->addWidget(what_, 1);
  below->addWidget(only_);
  row->setSpacing(6);
  row->addWidget(line_, 1);
  row->addWidget(count_);
  for (QPushButton* button : {before_, next_}) {
    button->setFocusPolicy(Qt::NoFocus);
    row->addWidget(button);
  }
  set_theme({});
  connect(line_, &QLineEdit::textEdited, this, &FindBar::text_typed);
  connect(before_, &QPushButton::clicked, this, [this] { emit step_asked(-1); });
  connect(next_, &QPushButton::clicked, this, [this] { emit step_asked(1); });
  connect(only_, &QCheckBox::clicked, this, &FindBar::only_asked);
}

void FindBar::show_text(QString const& text) {
  if (line_->text() != text) line_->setText(text);
}

void FindBar::show_only(bool only) { only_->setChecked(only); }

void FindBar::show_matches(int current, int count, QString const& what) {
  what_words_ =
      line_->text().isEmpty() ? QStringLiteral("Also op:add, kernel:…, tensor:…, name:…") : what;
  what_->setToolTip(what);
  elide();
  count_->setText(line_->text().isEmpty() ? QString()
                  : count == 0            ? "nothing"
                                          : QString("%1 of %2").arg(current + 1).arg(count));
  before_->setEnabled(count > 1);
  next_->setEnabled(count > 1);
}

/// The end of a name tells more than its middle.
void FindBar::elide() {
  int room = width() - only_->sizeHint().width() - 26;
  what_->setText(what_->fontMetrics().elidedText(what_words_, Qt::ElideMiddle, room));
}

void FindBar::take_focus() {
  line_->setFocus();
  line_->selectAll();
}

/// Enter and the arrows go from match to match, Esc closes.
bool FindBar::eventFilter(QObject* object, QEvent* event) {
  if (event->type() != QEvent::KeyPress) return QWidget::eventFilter(object, event);
  auto const* key = static_cast<QKeyEvent*>(event);
  if (object == only_ && key->key() != Qt::Key_Escape) return QWidget::eventFilter(object, event);
  bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
  bool back = key->modifiers() & Qt::ShiftModifier;
  if (key->key() == Qt::Key_Escape)
    emit closed();
  else if (key->key() == Qt::Key_Up || (enter && back))
    emit step_asked(-1);
  else if (key->key() == Qt::Key_Down || enter)
    emit step_asked(1);
  else
    return QWidget::eventFilter(object, event);
  return true;
}

void FindBar::set_theme(Theme const& theme) {
  count_->setMinimumWidth(theme.px(84));
  for (QPushButton* button : {before_, next_}) button->setFixedWidth(theme.px(34));
  most_ = QSize(theme.px(420), theme.px(78));
  fit(most_.width());
}

void FindBar::fit(int width) {
  setFixedSize(std::max(minimumSizeHint().width(), std::min(most_.width(), width)), most_.height());
  elide();
}

void FindBar::paintEvent(QPaintEvent*) { paint::floating_ground(*this); }

}  // namespace tw
