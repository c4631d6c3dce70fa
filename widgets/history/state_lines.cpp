// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/history/state_lines.h"

#include <QKeyEvent>
#include <utility>

namespace tw {

StateLines::StateLines(QWidget* view)
    : view_(view),
      note_(make("noteEdit", "Note", "A note on this state")),
      name_(make("nameEdit", "Name", "A name for this state")) {}

QLineEdit* StateLines::make(char const* object, QString const& name, QString const& placeholder) {
  auto* line = new QLineEdit(view_);
  line->setObjectName(object);
  line->setAccessibleName(name);
  line->setPlaceholderText(placeholder);
  line->installEventFilter(this);
  line->hide();
  connect(line, &QLineEdit::editingFinished, this, [this, line] { end(line); });
  return line;
}

void StateLines::write_note(int node, QString const& text, QRect const& place) {
  begin(note_, node, text, place);
}

void StateLines::write_name(int node, QString const& text, QRect const& place) {
  begin(name_, node, text, place);
}

void StateLines::begin(QLineEdit* line, int node, QString const& text, QRect const& place) {
  node_ = node;
  before_ = text;
  line->setText(text);
  line->setGeometry(place);
  line->show();
  line->raise();
  line->setFocus();
  line->selectAll();
}

void StateLines::end(QLineEdit* line) {
  if (node_ < 0) return;
  int node = std::exchange(node_, -1);
  line->hide();
  QString text = line == name_ ? line->text().simplified() : line->text();
  if (text == before_) return;
  if (line == name_)
    emit name_written(node, text);
  else
    emit note_written(node, text);
}

void StateLines::close() {
  node_ = -1;
  note_->hide();
  name_->hide();
}

/// Esc leaves the words as they were.
bool StateLines::eventFilter(QObject* watched, QEvent* event) {
  auto* line = qobject_cast<QLineEdit*>(watched);
  if (!line || event->type() != QEvent::KeyPress) return false;
  int key = static_cast<QKeyEvent*>(event)->key();
  if (key == Qt::Key_Escape) {
    node_ = -1;
    line->hide();
  } else if (key != Qt::Key_Return && key != Qt::Key_Enter) {
    return false;
  }
  view_->setFocus();  // ends the editing, which writes it
  return true;
}

}  // namespace tw
