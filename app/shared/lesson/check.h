/// Plays the solution of a lesson, and looks which goals it reaches.
#pragma once

#include "app/shared/journal/player.h"
#include "app/shared/lesson/lesson.h"

namespace tw::lesson {

enum class Verdict : uint8_t {
  kReached,
  kRed,         ///< the solution does not reach it
  kAtTheStart,  ///< holds before anything was done in its step
  kNotKnown,    ///< this machine cannot say
};
struct Judged {
  int step = 0;  ///< from 1
  int line = 0;
  std::string text;
  Verdict verdict = Verdict::kRed;
  int by_line = 0;  ///< of the solution, that reached it
  std::string by;
  std::string why;  ///< where it is not reached: what is there instead
};
struct Checked {
  std::vector<Judged> goals;  ///< all of the lesson
  int reached = 0;
  double seconds = 0;
  std::optional<Error> failure;  ///< the first, with its line; nothing: the lesson is good
};

/// Errors of the lesson: goal_not_reached, goal_at_the_start, unknown_kernel, unknown_loop,
/// no_picture, action_failed; of the machine: goal_not_known, fact_not_known, still_busy. What is
/// measured is measured again before it is called red.
Checked check(Lesson const& lesson, journal::Stage& stage);

}  // namespace tw::lesson
