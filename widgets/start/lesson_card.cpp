// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/start/lesson_card.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "engine/support/base/quantities.h"
#include "widgets/paint/controls.h"
#include "widgets/start/roof_picture.h"

namespace tw {

LessonCard::LessonCard() {
  setObjectName("card");
  column_ = new QVBoxLayout(this);
  length_ = controls::label("lessonLength", "pill");
  title_ = controls::label("lessonTitle", "title", controls::Wrap::kYes);
  sentence_ = controls::label("lessonSentence", "secondary", controls::Wrap::kYes);
  picture_ = new RoofPicture;
  start_ = controls::button("Start the lesson", "startLesson", "Begin this lesson");
  start_->setProperty("primary", true);
  more_ = controls::button({}, "moreLessons", "The list of all lessons (Ctrl+L)");
  more_->setProperty("quiet", true);
  column_->addWidget(length_, 0, Qt::AlignLeft);
  column_->addWidget(title_);
  column_->addWidget(sentence_);
  column_->addWidget(picture_);
  for (int i = 0; i < kMostGoals; ++i) {
    goals_.push_back(
        controls::label(QString("lessonGoal%1").arg(i), "secondary", controls::Wrap::kYes));
    column_->addWidget(goals_.back());
  }
  auto* last = new QHBoxLayout;
  last->addWidget(start_);
  last->addStretch(1);
  last->addWidget(more_);
  column_->addLayout(last);
  connect(start_, &QPushButton::clicked, this, [this] { emit lesson_asked(lesson_->name); });
  connect(more_, &QPushButton::clicked, this, &LessonCard::list_asked);
  hide();
}

void LessonCard::set_theme(Theme const& theme) {
  column_->setContentsMargins(theme.px(24), theme.px(22), theme.px(24), theme.px(20));
  column_->setSpacing(theme.px(10));
  picture_->set_theme(theme);
  setStyleSheet(theme.scaled(QString("#card { background: %1; border: 1px solid %2; "
                                     "border-radius: 9px; }")
                                 .arg(theme.raised.name(), theme.line2.name())));
}

void LessonCard::show_lesson(std::optional<StartLesson> const& lesson) {
  lesson_ = lesson;
  setVisible(lesson.has_value());
  if (!lesson) return;
  length_->setText(QString("Lesson %1 of %2 · ").arg(lesson->number).arg(lesson->of) +
                   QString::fromStdString(count_text(lesson->minutes, "minute")));
  title_->setText(lesson->title);
  sentence_->setText(lesson->sentence);
  start_->setAccessibleName("Start the lesson " + lesson->title);
  more_->setText(QString::fromStdString(count_text(std::max(0, lesson->of - 1), "more lesson")));
  more_->setVisible(lesson->of > 1);
  show_goals();
}

/// The last one is what the others are for.
void LessonCard::show_goals() {
  for (int i = 0; i < kMostGoals; ++i) {
    int count = lesson_ && !low_ ? int(lesson_->goals.size()) : 0;
    goals_[size_t(i)]->setVisible(i < count);
    int goal = i == kMostGoals - 1 ? count - 1 : i;
    if (i < count) goals_[size_t(i)]->setText(QStringLiteral("○  ") + lesson_->goals[goal]);
  }
}

void LessonCard::show_kernel(std::shared_ptr<session::MachineView const> machine,
                             std::optional<session::KernelEstimate> const& promise) {
  picture_->show_kernel(std::move(machine), promise);
}

void LessonCard::set_low(bool low) {
  if (low == low_) return;
  low_ = low;
  show_goals();
}

}  // namespace tw
