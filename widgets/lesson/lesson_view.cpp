// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/lesson/lesson_view.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextList>
#include <QVBoxLayout>

#include "widgets/lesson/goal_mark.h"

namespace tw {
namespace {

constexpr int kMargin = 16;

QLabel* wrapped(QString const& words, char const* role) {
  auto* label = new QLabel(words);
  label->setWordWrap(true);
  label->setTextFormat(Qt::PlainText);
  if (*role) label->setProperty("role", role);
  return label;
}

QPushButton* button(char const* words, char const* name) {
  auto* made = new QPushButton(words);
  made->setObjectName(name);
  return made;
}

}  // namespace

LessonView::LessonView(QWidget* parent) : QWidget(parent) {
  setObjectName("lessonView");
  setAccessibleName("Lesson");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  build_head(column);
  scroll_ = new QScrollArea;
  scroll_->setObjectName("lessonScroll");
  scroll_->setWidgetResizable(true);
  scroll_->setFocusPolicy(Qt::NoFocus);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  column->addWidget(scroll_, 1);
  build_foot(column);
}

void LessonView::build_head(QVBoxLayout* column) {
  auto* head = new QHBoxLayout;
  head->setContentsMargins(kMargin, 8, 8, 0);
  lesson_ = wrapped({}, "label");
  lesson_->setObjectName("lessonTitle");
  progress_ = new QLabel;
  progress_->setObjectName("lessonProgress");
  progress_->setProperty("role", "label");
  auto* close = button("Close", "lessonClose");
  close->setProperty("quiet", true);
  close->setAccessibleName("Close the lesson");
  head->addWidget(lesson_, 1);
  head->addWidget(progress_);
  head->addWidget(close);
  column->addLayout(head);
  connect(close, &QPushButton::clicked, this, &LessonView::close_asked);
}

void LessonView::build_foot(QVBoxLayout* column) {
  auto* help = new QHBoxLayout;
  help->setSpacing(8);
  help->setContentsMargins(kMargin, 8, kMargin, 0);
  hint_ = button("Hint", "lessonHint");
  show_ = button("Show me", "lessonShowMe");
  help->addWidget(hint_, 1);
  help->addWidget(show_, 1);
  auto* ways = new QHBoxLayout;
  ways->setSpacing(8);
  ways->setContentsMargins(kMargin, 8, kMargin, 12);
  previous_ = button("Previous", "lessonPrevious");
  next_ = button("Next", "lessonNext");
  ways->addWidget(previous_, 1);
  ways->addWidget(next_, 1);
  column->addLayout(help);
  column->addLayout(ways);
  connect(hint_, &QPushButton::clicked, this, &LessonView::hint_asked);
  connect(show_, &QPushButton::clicked, this, &LessonView::show_me_asked);
  connect(previous_, &QPushButton::clicked, this, &LessonView::previous_asked);
  connect(next_, &QPushButton::clicked, this, &LessonView::next_asked);
}

QWidget* LessonView::first() const {
  QWidget* page = scroll_->widget();
  for (char const* name : {"lessonAnswer", "lessonChoice"})
    if (auto* answer = page ? page->findChild<QWidget*>(name) : nullptr) return answer;
  return next_->isEnabled() ? next_ : show_;
}

void LessonView::set_theme(Theme const& theme) {
  theme_ = theme;
  fill();
}

/// What is typed or focused stays where only numbers in the text have changed.
void LessonView::show_page(LessonPage const& page) {
  if (page == page_) return;
  LessonPage rest = page;
  rest.parts = page_.parts;
  bool same = rest == page_ && page.parts.size() == page_.parts.size();
  bool another = page.lesson != page_.lesson || page.step != page_.step;
  page_ = page;
  if (same) return fill_texts();
  fill();
  if (another) scroll_->verticalScrollBar()->setValue(0);
}

namespace {

/// Qt sets Markdown's paragraphs without a gap.
void keep_paragraphs_apart(QTextDocument& document, int gap) {
  for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
    bool last = !block.next().isValid(), in_list = block.textList() != nullptr;
    QTextBlockFormat format = block.blockFormat();
    format.setTopMargin(0);
    format.setBottomMargin(last ? 0 : in_list ? gap / 3.0 : gap);
    QTextCursor(block).setBlockFormat(format);
  }
}

}  // namespace

void LessonView::fill_texts() {
  size_t at = 0;
  for (LessonPart const& part : page_.parts) {
    if (!part.picture.isEmpty() || at >= texts_.size()) continue;
    QLabel* label = texts_[at++];
    QTextDocument document;  // a label would take the colour of links from the program's palette
    document.setDefaultFont(ui_font(theme_.px(13)));
    document.setMarkdown(part.text);
    keep_paragraphs_apart(document, theme_.px(9));
    QString html =
        document.toHtml().replace(QPalette().color(QPalette::Link).name(), theme_.moved.name());
    if (label->text() != html) label->setText(html);
  }
}

/// The focus was in what is made anew: on the same answer, else on what comes next.
void LessonView::focus_again(QString const& name, QString const& words) {
  for (QWidget* one : scroll_->widget()->findChildren<QWidget*>(name)) {
    auto* choice = qobject_cast<QPushButton*>(one);
    if (!choice || choice->text() == words) return one->setFocus(Qt::OtherFocusReason);
  }
  first()->setFocus(Qt::OtherFocusReason);
}

void LessonView::fill() {
  QWidget* focused = window()->focusWidget();
  if (!scroll_->widget() || !scroll_->widget()->isAncestorOf(focused)) focused = nullptr;
  auto* pressed = qobject_cast<QPushButton*>(focused);
  QString name = focused ? focused->objectName() : QString();
  QString words = pressed ? pressed->text() : QString();
  auto* page = new QWidget;
  page->setObjectName("lessonPage");
  body_ = new QVBoxLayout(page);
  body_->setContentsMargins(kMargin, 6, kMargin, 8);
  body_->setSpacing(theme_.px(10));
  texts_.clear();
  lesson_->setText(page_.lesson);
  progress_->setText(page_.steps ? QString("%1 of %2").arg(page_.step).arg(page_.steps)
                                 : QString());
  auto* title = wrapped(page_.title, "title");
  title->setObjectName("lessonStepTitle");
  body_->addWidget(title);
  for (LessonPart const& part : page_.parts) {
    if (!part.picture.isEmpty()) {
      body_->addWidget(new LessonPicture(part.picture, part.text));
      continue;
    }
    auto* label = new QLabel;
    label->setObjectName("lessonText");
    label->setWordWrap(true);
    label->setTextFormat(Qt::RichText);
    label->setTextInteractionFlags(Qt::TextBrowserInteraction);
    label->setFont(ui_font(theme_.px(13)));
    connect(label, &QLabel::linkActivated, this, &LessonView::link_asked);
    texts_.push_back(label);
    body_->addWidget(label);
  }
  fill_texts();
  bool asked = false;
  for (LessonGoal const& goal : page_.goals) {
    bool is_open = goal.asks && !goal.reached && !asked;
    asked |= is_open;
    add_goal(goal, is_open);
  }
  for (QString const& hint : page_.hints) add_hint(hint);
  body_->addStretch(1);
  // What was there may be what was clicked, and lives until that is over.
  if (QWidget* old = scroll_->takeWidget()) old->hide(), old->deleteLater();
  scroll_->setWidget(page);
  show_buttons();
  if (focused) focus_again(name, words);
}

void LessonView::add_goal(LessonGoal const& goal, bool is_open) {
  auto* row = new QWidget;
  row->setObjectName("lessonGoal");
  row->setProperty("role", "bare");
  row->setAccessibleName((goal.reached ? "Reached: "
                          : goal.asks  ? "Question: "
                                       : "Open: ") +
                         goal.text);
  auto* line = new QHBoxLayout(row);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(theme_.px(8));
  line->addWidget(new GoalMark(goal.reached, theme_), 0, Qt::AlignTop);
  auto* words = new QVBoxLayout;
  words->setSpacing(2);
  words->addWidget(wrapped(goal.text, ""));
  if (goal.reached) words->addWidget(wrapped(goal.asks ? "Right" : "Reached", "label"));
  line->addLayout(words, 1);
  body_->addWidget(row);
  if (is_open) add_answers(goal);
}

void LessonView::add_answers(LessonGoal const& goal) {
  for (QString const& choice : goal.choices) {
    auto* made = new QPushButton(choice);
    made->setObjectName("lessonChoice");
    made->setAccessibleName("Answer: " + choice);
    body_->addWidget(made);
    connect(made, &QPushButton::clicked, this, [this, choice] { emit answered(choice); });
  }
  if (goal.choices.isEmpty()) {
    auto* row = new QHBoxLayout;
    auto* input = new QLineEdit;
    input->setObjectName("lessonAnswer");
    input->setAccessibleName("Answer: a number");
    input->setPlaceholderText("A number");
    auto* give = button("Answer", "lessonGiveAnswer");
    row->addWidget(input, 1);
    row->addWidget(give);
    body_->addLayout(row);
    auto send = [this, input] {
      if (!input->text().trimmed().isEmpty()) emit answered(input->text().trimmed());
    };
    connect(input, &QLineEdit::returnPressed, this, send);
    connect(give, &QPushButton::clicked, this, send);
  }
  if (page_.said.isEmpty()) return;
  auto* said = wrapped(page_.said, "secondary");
  said->setObjectName("lessonSaid");
  body_->addWidget(said);
}

void LessonView::add_hint(QString const& hint) {
  auto* label = wrapped("Hint: " + hint, "secondary");
  label->setObjectName("lessonHintText");
  label->setStyleSheet(theme_.scaled(
      QString("QLabel { background: %1; border: 1px solid %2; border-radius: 6px; padding: 8px; }")
          .arg(theme_.raised.name(), theme_.line2.name())));
  body_->addWidget(label);
}

/// The way on is the first button when the step is done.
void LessonView::show_buttons() {
  bool done = true;
  for (LessonGoal const& goal : page_.goals) done &= goal.reached;
  bool last = page_.step == page_.steps;
  next_->setText(last ? "Finish" : "Next");
  previous_->setEnabled(page_.step > 1);
  hint_->setEnabled(page_.more_hints);
  show_->setEnabled(page_.more_moves);
  if (next_->property("primary").toBool() != done) {
    next_->setProperty("primary", done);
    next_->setStyleSheet(next_->styleSheet());  // Qt asks for properties only then
  }
}

}  // namespace tw
