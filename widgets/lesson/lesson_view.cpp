// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/lesson/lesson_view.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QStyle>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextList>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "engine/support/base/quantities.h"
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

void make_primary(QPushButton* button, bool primary) {
  if (button->property("primary").toBool() == primary) return;
  button->setProperty("primary", primary);
  button->style()->unpolish(button);  // Qt asks for properties only then
  button->style()->polish(button);
}

/// The one that is answered next; empty: none.
QString open_question(LessonPage const& page) {
  for (LessonGoal const& goal : page.goals)
    if (goal.asks && !goal.reached) return goal.text;
  return {};
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
  below_ = button("", "lessonBelow");
  below_->setProperty("quiet", true);
  below_->hide();
  column->addWidget(below_);
  build_foot(column);
  connect(below_, &QPushButton::clicked, this, &LessonView::see_the_open);
  connect(scroll_->verticalScrollBar(), &QScrollBar::valueChanged, this, &LessonView::scrolled);
  connect(scroll_->verticalScrollBar(), &QScrollBar::rangeChanged, this, &LessonView::look_again);
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
  auto* following = new QHBoxLayout;
  following->setContentsMargins(kMargin, 8, kMargin, 0);
  following_ = button("", "lessonFollowing");
  following_->hide();
  following->addWidget(following_);
  column->addLayout(following);
  column->addLayout(help);
  column->addLayout(ways);
  connect(following_, &QPushButton::clicked, this, &LessonView::following_asked);
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
  fill(page_);
}

/// What is typed or focused stays where only numbers in the text have changed.
void LessonView::show_page(LessonPage const& page) {
  if (page == page_) return;
  LessonPage before = std::exchange(page_, page);
  LessonPage rest = before;
  rest.parts = page.parts;
  bool same = rest == page && before.parts.size() == page.parts.size();
  same ? fill_texts() : fill(before);
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

// ---- what stays where the page is made anew --------------------------------------

LessonView::Kept LessonView::keep() const {
  Kept kept;
  QWidget* page = scroll_->widget();
  if (!page) return kept;
  kept.scrolled = scroll_->verticalScrollBar()->value();
  if (auto* input = page->findChild<QLineEdit*>("lessonAnswer")) kept.typed = input->text();
  QWidget* focused = window()->focusWidget();
  if (!page->isAncestorOf(focused)) return kept;
  kept.had_focus = true;
  kept.name = focused->objectName();
  if (auto* pressed = qobject_cast<QPushButton*>(focused)) kept.words = pressed->text();
  return kept;
}

/// The focus was in what is made anew: on the same answer, else on what comes next.
void LessonView::focus_again(Kept const& kept) {
  for (QWidget* one : scroll_->widget()->findChildren<QWidget*>(kept.name)) {
    auto* choice = qobject_cast<QPushButton*>(one);
    if (!choice || choice->text() == kept.words) return one->setFocus(Qt::OtherFocusReason);
  }
  first()->setFocus(Qt::OtherFocusReason);
}

/// Marked, so that what is typed next takes its place.
void LessonView::type_again(Kept const& kept, LessonPage const& before) {
  auto* input = scroll_->widget()->findChild<QLineEdit*>("lessonAnswer");
  if (!input || kept.typed.isEmpty() || open_question(before) != open_question(page_)) return;
  input->setText(kept.typed);
  if (page_.said != before.said) input->selectAll();
}

void LessonView::fill(LessonPage const& before) {
  Kept kept = keep();
  bool another = page_.lesson != before.lesson || page_.step != before.step;
  make_page();
  show_buttons();
  if (!another) type_again(kept, before);
  if (kept.had_focus) focus_again(kept);
  see(another ? 0 : kept.scrolled, another ? QList<QWidget*>() : news_since(before));
}

// ---- what is in sight ------------------------------------------------------------

/// Of a page that has changed; what matters most comes last.
QList<QWidget*> LessonView::news_since(LessonPage const& before) const {
  QWidget* page = scroll_->widget();
  QList<QWidget*> news, goals = page->findChildren<QWidget*>("lessonGoal");
  size_t count = std::min(page_.goals.size(), before.goals.size());
  for (size_t i = 0; i < count; ++i)
    if (page_.goals[i].reached && !before.goals[i].reached) news << goals[qsizetype(i)];
  // Where there is room, what comes next is seen beside what was reached.
  if (auto* next = page->findChild<QWidget*>("lessonAnswers"); next && !news.isEmpty())
    news.prepend(next);
  if (page_.said != before.said) news << page->findChildren<QWidget*>("lessonSaid");
  if (page_.hints.size() > before.hints.size())
    news << page->findChildren<QWidget*>("lessonHintText").mid(before.hints.size());
  return news;
}

/// Until somebody scrolls: labels know how high they are only when they have been shown, and the
/// pane may be about to come to the front.
void LessonView::see(int scrolled, QList<QWidget*> const& news) {
  look_ = [this, scrolled, news] {
    scroll_->verticalScrollBar()->setValue(scrolled);
    for (QWidget* one : news) scroll_->ensureWidgetVisible(one, 0, theme_.px(8));
  };
  body_->activate();
  look_again();
  QTimer::singleShot(0, scroll_->widget(), [this] { look_again(); });
}

void LessonView::look_again() {
  looks_ = true;
  if (look_) look_();
  looks_ = false;
  tell_below();
}

void LessonView::scrolled() {
  if (!looks_) look_ = nullptr;
  tell_below();
}

/// A goal that is open and ends below what is seen; the answers belong to their question.
QList<QWidget*> LessonView::open_below() const {
  QWidget* page = scroll_->widget();
  QList<QWidget*> below, goals = page->findChildren<QWidget*>("lessonGoal");
  auto* answers = page->findChild<QWidget*>("lessonAnswers");
  bool answered_here = false;
  for (size_t i = 0; i < page_.goals.size(); ++i) {
    if (page_.goals[i].reached) continue;
    QWidget* last = goals[qsizetype(i)];
    if (page_.goals[i].asks && answers && !std::exchange(answered_here, true)) last = answers;
    int end = last->mapTo(page, QPoint(0, last->height())).y() + page->y();
    if (end > scroll_->viewport()->height()) below << goals[qsizetype(i)];
  }
  return below;
}

/// A low window shows the text alone, and somebody may look for what is to be done.
void LessonView::tell_below() {
  int count = scroll_->widget() ? int(open_below().size()) : 0;
  below_->setText(QString::fromStdString(count_text(count, "open goal")) + " below");
  below_->setVisible(count > 0);
}

void LessonView::see_the_open() {
  QList<QWidget*> below = open_below();
  if (below.isEmpty()) return;
  auto* answers = scroll_->widget()->findChild<QWidget*>("lessonAnswers");
  if (answers) scroll_->ensureWidgetVisible(answers, 0, theme_.px(8));
  scroll_->ensureWidgetVisible(below.last(), 0, theme_.px(8));
  scroll_->ensureWidgetVisible(below.first(), 0, theme_.px(8));
  first()->setFocus(Qt::OtherFocusReason);
}

void LessonView::go_to_answer() {
  QWidget* answer = first();
  // Of a field alone only the cursor would be in sight.
  if (scroll_->widget() && scroll_->widget()->isAncestorOf(answer))
    see(scroll_->verticalScrollBar()->value(), {answer->parentWidget(), answer});
  answer->setFocus(Qt::ShortcutFocusReason);
}

// ---- the page --------------------------------------------------------------------

void LessonView::make_page() {
  look_ = nullptr;  // at what goes now
  auto* page = new QWidget;
  page->setObjectName("lessonPage");
  body_ = new QVBoxLayout(page);
  body_->setContentsMargins(kMargin, 6, kMargin, 8);
  body_->setSpacing(theme_.px(10));
  lesson_->setText(page_.lesson);
  progress_->setText(page_.steps ? QString("%1 of %2").arg(page_.step).arg(page_.steps)
                                 : QString());
  auto* title = wrapped(page_.title, "title");
  title->setObjectName("lessonStepTitle");
  body_->addWidget(title);
  add_parts();
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
}

void LessonView::add_parts() {
  texts_.clear();
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
  auto* box = new QWidget;
  box->setObjectName("lessonAnswers");
  box->setProperty("role", "bare");
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(body_->spacing());
  body_->addWidget(box);
  for (QString const& choice : goal.choices) {
    auto* made = new QPushButton(choice);
    made->setObjectName("lessonChoice");
    made->setAccessibleName("Answer: " + choice);
    column->addWidget(made);
    connect(made, &QPushButton::clicked, this, [this, choice] { emit answered(choice); });
  }
  if (goal.choices.isEmpty()) add_number(column);
  if (page_.said.isEmpty()) return;
  auto* said = wrapped(page_.said, "secondary");
  said->setObjectName("lessonSaid");
  column->addWidget(said);
}

void LessonView::add_number(QVBoxLayout* column) {
  auto* row = new QHBoxLayout;
  auto* input = new QLineEdit;
  input->setObjectName("lessonAnswer");
  input->setAccessibleName("Answer: a number");
  input->setPlaceholderText("A number");
  auto* give = button("Answer", "lessonGiveAnswer");
  row->addWidget(input, 1);
  row->addWidget(give);
  column->addLayout(row);
  auto send = [this, input] {
    if (!input->text().trimmed().isEmpty()) emit answered(input->text().trimmed());
  };
  connect(input, &QLineEdit::returnPressed, this, send);
  connect(give, &QPushButton::clicked, this, send);
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
  bool follows = !page_.following.isEmpty();
  following_->setText("Next lesson: " + page_.following);
  following_->setVisible(follows);
  make_primary(following_, done && follows);
  make_primary(next_, done && !follows);
}

}  // namespace tw
