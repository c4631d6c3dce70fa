// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What a journal's lines do with lessons.
#pragma once

#include <string>

namespace tw::journal {

struct OpenLesson {
  std::string name;  ///< one of the program's, or a file
};
struct CloseLesson {};
struct GoToLessonStep {
  int step = 1;
};
struct ShowHint {};
/// Plays the next line of the step's solution.
struct ShowMe {};
struct AnswerQuestion {
  std::string words;
};

}  // namespace tw::journal
