// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "app/window/panes/lesson/journal.h"

#include "app/shared/journal/form_rows.h"

namespace tw {

journal::Vocabulary const& vocabulary_lesson() {
  using namespace journal;
  static journal::Vocabulary const words{
      {
          row<OpenLesson>("lesson open", "opens a lesson by its name, its number or its file",
                          Rest<OpenLesson>{&OpenLesson::name, "NAME"})
              .of(Who::kBoth),
          row<CloseLesson>("lesson close", "closes the lesson; what it opened stays open"),
          row<GoToLessonStep>("lesson step", "goes to a step of the lesson",
                              Number(&GoToLessonStep::step, "NUMBER")),
          row<ShowHint>("lesson hint", "shows the next hint of the step"),
          row<ShowMe>("lesson show me", "plays the next line of the step's solution")
              .of(Who::kBoth),
          row<AnswerQuestion>("lesson answer", "answers the open question of the step",
                              Rest<AnswerQuestion>{&AnswerQuestion::words, "WORDS"}),
      },
      {
          {"lesson.name", "words", "name of the open lesson, or none"},
          {"lesson.step", "", "the step of the lesson, from 1; 0: none is open"},
          {"lesson.goals", "", "number of goals of the lesson"},
          {"lesson.goals_reached", "", "number of its goals that are reached"},
          {"lesson.hints", "", "number of hints that are shown in the step"},
      }};
  return words;
}

}  // namespace tw
