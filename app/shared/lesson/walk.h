/// How far somebody is in a lesson: which step, which goals are reached, what the solution does
/// next.
#pragma once

#include <functional>
#include <set>

#include "app/shared/lesson/lesson.h"

namespace tw::lesson {

using FactOf = std::function<std::optional<session::FactValue>(std::string const&)>;

class Walk {
public:
  explicit Walk(Lesson lesson) : lesson_(std::move(lesson)) {}

  Lesson const& lesson() const { return lesson_; }
  int step_number() const { return step_; }
  Step const& step() const { return lesson_.steps[size_t(step_)]; }
  bool is_reached(Goal const& goal) const { return reached_.contains(goal.line); }
  int reached() const { return int(reached_.size()); }
  /// Of the steps before this one.
  int reached_before(int step) const;
  bool step_is_done() const;

  /// Looks at the goals of the step; true: one more is reached. A goal stays reached.
  bool look(FactOf const& fact);
  /// Errors: no_such_step.
  Status go_to(int step);
  /// Null: none of the step is open.
  Goal const* open_question() const;
  /// Of the open question; true: it is right. Errors: no_question, not_known.
  Result<bool> answer(std::string const& words, FactOf const& fact);

  /// The next line of the step's solution; lines that are not for this machine are passed over.
  /// Null: there is none left.
  Move const* next_move(FactOf const& fact);
  /// The solution of the step begins anew.
  void begin_solution() { move_ = 0; }
  bool solution_has_begun() const { return move_ > 0; }

private:
  Lesson lesson_;
  std::set<int> reached_;  ///< by their lines
  int step_ = 0;
  size_t move_ = 0;  ///< the next of the step's solution
};

/// The answer that a fact gives, as somebody would write it.
std::string answer_words(session::FactValue const& value);

}  // namespace tw::lesson
