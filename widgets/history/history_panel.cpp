// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/history/history_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>

#include "widgets/paint/chooser.h"

namespace tw {

HistoryPanel::HistoryPanel(QWidget* parent)
    : QWidget(parent),
      view_(new HistoryView),
      scroll_(new QScrollArea),
      find_(new QLineEdit),
      found_(new QLabel),
      filter_(new Chooser),
      fold_(new QPushButton("Fold")),
      compare_(new QPushButton("Compare")),
      replay_(new QPushButton("Replay on")) {
  setObjectName("historyPanel");
  find_->setObjectName("findStep");
  find_->setAccessibleName("Find a step or a note");
  find_->setPlaceholderText("Find a step or a note");
  find_->setClearButtonEnabled(true);
  found_->setProperty("role", "label");
  filter_->setObjectName("historyFilter");
  filter_->setAccessibleName("Visible states");
  for (QString const& name : filter_names()) {
    QString words = name;
    words[0] = words[0].toUpper();
    filter_->addItem(words, name);
  }
  fold_->setObjectName("foldHistory");
  fold_->setCheckable(true);
  fold_->setChecked(true);
  fold_->setToolTip("Fold long runs of steps");
  compare_->setObjectName("compareStates");
  compare_->setToolTip("Compare focused and current state");
  replay_->setObjectName("replayOn");
  replay_->setToolTip("Replay this schedule on another kernel");
  scroll_->setWidget(view_);
  scroll_->setWidgetResizable(true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(12, 4, 12, 4);
  row->setSpacing(8);
  row->addWidget(find_, 1);
  row->addWidget(found_);
  row->addStretch(0);
  row->addWidget(filter_);
  for (QPushButton* button : {fold_, compare_, replay_}) {
    button->setProperty("quiet", true);
    row->addWidget(button);
  }
  column->addLayout(row);
  column->addWidget(scroll_, 1);
  connect(find_, &QLineEdit::returnPressed, this, [this] { emit find_asked(find_->text()); });
  connect(find_, &QLineEdit::textEdited, this, [this](QString const& text) {
    if (text.isEmpty()) emit find_asked(text);
  });
  connect(filter_, &QComboBox::activated, this,
          [this](int at) { emit filter_asked(filter_->itemData(at).toString()); });
  connect(fold_, &QPushButton::toggled, this, &HistoryPanel::fold_asked);
  connect(compare_, &QPushButton::clicked, this, &HistoryPanel::compare_asked);
  connect(replay_, &QPushButton::clicked, this, &HistoryPanel::replay_asked);
  connect(view_, &HistoryView::moved_to, this, [this](QPointF const& at) {
    QPoint place = view_->pixels(at + QPointF(0, 16)), room = view_->pixels(QPointF(70, 66));
    scroll_->ensureVisible(place.x(), place.y(), room.x(), room.y());
  });
}

void HistoryPanel::set_theme(Theme const& theme) {
  view_->set_theme(theme);
  find_->setMaximumWidth(theme.px(260));
}

QStringList const& HistoryPanel::filter_names() {
  static QStringList const names{"all", "tagged", "named", "best", "found"};
  return names;
}

void HistoryPanel::filter(HistoryFilter filter) {
  filter_->setCurrentIndex(int(filter));
  view_->filter(filter);
}

void HistoryPanel::show_history(std::shared_ptr<session::HistoryView const> const& history,
                                std::shared_ptr<session::Marks const> const& marks) {
  view_->show_marks(marks);
  view_->show_history(history);
  compare_->setEnabled(history && history->nodes.size() > 1);
  replay_->setEnabled(history && history->current > 0);
}

QString HistoryPanel::words() const { return find_->text(); }

int HistoryPanel::find(QString const& words) {
  if (find_->text() != words) find_->setText(words);
  int count = view_->find(words, words == searched_);
  searched_ = words;
  found_->setText(words.isEmpty() ? QString() : QString("%1 found").arg(count));
  return count;
}

void HistoryPanel::fold(bool folded) {
  QSignalBlocker blocker(fold_);
  fold_->setChecked(folded);
  view_->set_folding(folded);
}

}  // namespace tw
