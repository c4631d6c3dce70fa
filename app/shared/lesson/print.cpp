// A lesson as text again.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/shared/lesson/lesson.h"

namespace tw::lesson {
namespace {

std::string condition(journal::Expect const& expect) {
  return journal::to_text(expect).substr(sizeof("expect ") - 1);
}

std::string to_text(Move const& move) {
  std::string text = "    ";
  if (move.when) text += "when " + condition(*move.when) + ": ";
  return text + (move.action ? journal::to_text(*move.action) : "answer");
}

std::string to_text(Goal const& goal) {
  if (!goal.asks) return fmt::format("goal: {} | {}\n", goal.text, condition(goal.expect));
  std::string text = fmt::format("ask: {} | {}\n", goal.text, goal.expect.fact);
  if (!goal.choices.empty()) text += fmt::format("choices: {}\n", fmt::join(goal.choices, ", "));
  return text;
}

}  // namespace

std::string to_text(Lesson const& lesson) {
  std::string text = fmt::format("{}\ntitle: {}\n", kHeader, lesson.title);
  if (!lesson.about.empty()) text += fmt::format("about: {}\n", lesson.about);
  text += fmt::format("minutes: {}\n", lesson.minutes);
  if (!lesson.start.empty()) text += "start:\n";
  for (Move const& move : lesson.start) text += to_text(move) + "\n";
  for (Step const& step : lesson.steps) {
    text += fmt::format("\n# {}\n{}", step.title, step.text);
    for (Goal const& goal : step.goals) text += to_text(goal);
    for (Hint const& hint : step.hints)
      text += fmt::format("hint after {}: {}\n", hint.seconds, hint.text);
    if (!step.solution.empty()) text += "solution:\n";
    for (Move const& move : step.solution) text += to_text(move) + "\n";
  }
  return text;
}

int Lesson::goals() const {
  int count = 0;
  for (Step const& step : steps) count += int(step.goals.size());
  return count;
}

}  // namespace tw::lesson
