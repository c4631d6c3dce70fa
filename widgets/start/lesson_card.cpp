// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/start/lesson_card.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "engine/support/base/quantities.h"
#include "widgets/paint/controls.h"

namespace tw {

LessonCard::LessonCard() {
  setObjectName("card");
  column_ = new QVBoxLayout(this);
  length_ = controls::label("lessonLength", "pill");
  title_ = controls::label("lessonTitle", "title", controls::Wrap::kYes);
  sentence_ = controls::label("lessonSentence", "secondary", controls::Wrap::kYes);
  start_ = controls::button("Start the lesson", "startLesson", "Begin this lesson");
  start_->setProperty("primary", true);
  column_->addWidget(length_, 0, Qt::AlignLeft);
  column_->addWidget(title_);
  column_->addWidget(sentence_);
  column_->addWidget(start_, 0, Qt::AlignLeft);
  connect(start_, &QPushButton::clicked, this, [this] { emit lesson_asked(name_); });
  hide();
}

void LessonCard::set_theme(Theme const& theme) {
  column_->setContentsMargins(theme.px(24), theme.px(22), theme.px(24), theme.px(20));
  column_->setSpacing(theme.px(10));
  setStyleSheet(theme.scaled(QString("#card { background: %1; border: 1px solid %2; "
                                     "border-radius: 9px; }")
                                 .arg(theme.raised.name(), theme.line2.name())));
}

void LessonCard::show_lesson(std::optional<StartLesson> const& lesson) {
  setVisible(lesson.has_value());
  if (!lesson) return;
  name_ = lesson->name;
  length_->setText(QStringLiteral("Lesson · ") +
                   QString::fromStdString(count_text(lesson->minutes, "minute")));
  title_->setText(lesson->title);
  sentence_->setText(lesson->sentence);
  start_->setAccessibleName("Start the lesson " + lesson->title);
}

}  // namespace tw
