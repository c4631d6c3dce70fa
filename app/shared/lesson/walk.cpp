#include "app/shared/lesson/walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/shared/journal/player.h"
#include "app/shared/journal/words.h"
#include "engine/session/facts/whole_facts.h"

namespace tw::lesson {
namespace {

constexpr double kAsGood = 0.03;  // of a number that was read off a scale

/// What is counted is right or wrong: 511 iterations are not 512.
bool is_right(std::string const& words, std::string const& fact, session::FactValue const& value) {
  if (auto const* text = std::get_if<std::string>(&value)) return words == *text;
  journal::Reader reader(words, {});
  auto number = reader.number("the answer");
  double right = std::get<double>(value);
  double off = session::is_whole(fact) ? 0 : kAsGood * std::abs(right);
  return number && reader.end() && std::abs(*number - right) <= off;
}

}  // namespace

bool Walk::step_is_done() const {
  return std::ranges::all_of(step().goals, [&](Goal const& goal) { return is_reached(goal); });
}

int Walk::reached_before(int step) const {
  int line = lesson_.steps[size_t(step)].line;  // goals are known by theirs
  return int(std::ranges::count_if(reached_, [&](int goal) { return goal < line; }));
}

bool Walk::look(FactOf const& fact) {
  bool more = false;
  for (Goal const& goal : step().goals) {
    if (goal.asks || is_reached(goal)) continue;
    auto value = fact(goal.expect.fact);
    if (value && journal::holds(goal.expect, *value)) more |= reached_.insert(goal.line).second;
  }
  return more;
}

Status Walk::go_to(int step) {
  if (step < 0 || size_t(step) >= lesson_.steps.size())
    return bad_input("no_such_step",
                     fmt::format("the lesson has steps 1 to {}", lesson_.steps.size()));
  if (step != step_) move_ = 0;
  step_ = step;
  return {};
}

Goal const* Walk::open_question() const {
  auto open = [&](Goal const& goal) { return goal.asks && !is_reached(goal); };
  auto found = std::ranges::find_if(step().goals, open);
  return found == step().goals.end() ? nullptr : &*found;
}

Result<bool> Walk::answer(std::string const& words, FactOf const& fact) {
  Goal const* goal = open_question();
  if (!goal) return bad_input("no_question", "no question is open in this step of the lesson");
  auto value = fact(goal->expect.fact);
  if (!value)
    return environment_failed(
        "not_known", fmt::format("{} is not known on this machine now", goal->expect.fact));
  if (!is_right(words, goal->expect.fact, *value)) return false;
  reached_.insert(goal->line);
  return true;
}

Move const* Walk::next_move(FactOf const& fact) {
  while (move_ < step().solution.size()) {
    Move const& move = step().solution[move_++];
    if (!move.when) return &move;
    auto value = fact(move.when->fact);
    if (value && journal::holds(*move.when, *value)) return &move;
  }
  return nullptr;
}

std::string answer_words(session::FactValue const& value) {
  if (auto const* text = std::get_if<std::string>(&value)) return *text;
  return journal::number_text(std::get<double>(value));
}

}  // namespace tw::lesson
