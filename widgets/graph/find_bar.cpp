// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/graph/find_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>

namespace tw {

FindBar::FindBar(QWidget* parent)
    : QWidget(parent),
      line_(new QLineEdit),
      count_(new QLabel),
      before_(new QPushButton(QStringLiteral("↑"))),
      next_(new QPushButton(QStringLiteral("↓"))) {
  setObjectName("findBar");
  line_->setObjectName("findLine");
  line_->setPlaceholderText("Find a node or an operator");
  line_->setAccessibleName("Find in the graph");
  line_->installEventFilter(this);
  count_->setObjectName("findCount");
  count_->setAlignment(Qt::AlignCenter);
  before_->setAccessibleName("Previous match");
  next_->setAccessibleName("Next match");
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 6, 8, 6);
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
}

void FindBar::show_text(QString const& text) {
  if (line_->text() != text) line_->setText(text);
}

void FindBar::show_matches(int current, int count) {
  count_->setText(line_->text().isEmpty() ? QString()
                  : count == 0            ? "nothing"
                                          : QString("%1 of %2").arg(current + 1).arg(count));
  before_->setEnabled(count > 1);
  next_->setEnabled(count > 1);
}

void FindBar::take_focus() {
  line_->setFocus();
  line_->selectAll();
}

/// Enter and the arrows go from match to match, Esc closes.
bool FindBar::eventFilter(QObject* object, QEvent* event) {
  if (event->type() != QEvent::KeyPress) return QWidget::eventFilter(object, event);
  auto const* key = static_cast<QKeyEvent*>(event);
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
  setFixedSize(theme.px(420), theme.px(46));
}

void FindBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(palette().color(QPalette::PlaceholderText));
  painter.setBrush(palette().color(QPalette::Window));
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

}  // namespace tw
