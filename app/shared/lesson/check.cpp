#include "app/shared/lesson/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>

#include "app/shared/journal/forms.h"
#include "app/shared/lesson/walk.h"

namespace tw::lesson {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kPatience = 180;  // seconds
constexpr int kMeasurements = 40;  // of a goal that a measurement has to reach

bool is_measured(std::string const& fact) {
  constexpr std::array<std::string_view, 6> kMeasured = {"kernel.time",    "kernel.speed",
                                                         "kernel.of_roof", "kernel.of_peak",
                                                         "kernel.gain",    "kernel.over_default"};
  return std::ranges::find(kMeasured, fact) != kMeasured.end();
}

std::string unit_of(std::string const& name) {
  for (journal::FactInfo const& fact : journal::facts())
    if (fact.name == name) return fact.unit;
  return {};
}

class Checker {
public:
  Checker(Lesson const& lesson, journal::Stage& stage)
      : walk_(lesson), stage_(stage), fact_([this](auto& name) { return stage_.fact(name); }) {}

  Checked run() {
    auto begin = Clock::now();
    for (size_t i = 0; i < lesson().steps.size(); ++i)
      for (Goal const& goal : lesson().steps[i].goals)
        done_.goals.push_back({int(i) + 1, goal.line, goal.text, Verdict::kRed, 0, {}, {}});
    if (Status status = play(); !status) fail(status.error());
    for (Judged const& one : done_.goals) done_.reached += one.verdict == Verdict::kReached;
    done_.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return std::move(done_);
  }

private:
  Lesson const& lesson() const { return walk_.lesson(); }
  Place place(int line) const { return {lesson().file, line, 0, {}}; }
  void fail(Error error) {
    if (!done_.failure) done_.failure = std::move(error);
  }
  Judged& judged(Goal const& goal) {
    return *std::ranges::find(done_.goals, goal.line, &Judged::line);
  }

  Status play() {
    for (Move const& move : lesson().start) TRY(act(move));
    for (size_t i = 0; i < lesson().steps.size(); ++i) {
      TRY(walk_.go_to(int(i)));
      TRY(play_step());
    }
    return {};
  }

  Status play_step() {
    TRY(check_files_and_kernels());
    std::vector<Mention> open = not_there(walk_.step().mentions);
    judge_the_start();
    while (Move const* move = walk_.next_move(fact_)) {
      if (move->action) {
        TRY(act(*move));
      } else {
        TRY(answer(*move));
      }
      look(*move);
    }
    measure_again();
    judge_the_end();
    open = not_there(open);
    if (open.empty()) return {};
    return missing(open.front());
  }

  Status check_files_and_kernels() const {
    for (Mention const& mention : walk_.step().mentions) {
      if (mention.kind == Mention::Kind::kKernel &&
          session::row_called(stage_.snapshot(), mention.name) < 0)
        return bad_input("unknown_kernel", fmt::format("there is no kernel '{}'", mention.name),
                         place(mention.line));
      if (mention.kind == Mention::Kind::kFile && !std::filesystem::exists(beside(mention.name)))
        return bad_input("no_picture",
                         fmt::format("there is no file '{}' beside the lesson", mention.name),
                         place(mention.line));
    }
    return {};
  }
  std::filesystem::path beside(std::string const& file) const {
    return std::filesystem::path(lesson().file).parent_path() / file;
  }
  /// Loops, and facts of which a reader would see "...".
  std::vector<Mention> not_there(std::vector<Mention> mentions) const {
    std::erase_if(mentions, [&](Mention const& mention) {
      if (mention.kind == Mention::Kind::kFact) return fact_(mention.name).has_value();
      return mention.kind != Mention::Kind::kLoop ||
             session::loop_called(stage_.snapshot(), mention.name) >= 0;
    });
    return mentions;
  }
  std::unexpected<Error> missing(Mention const& mention) const {
    if (mention.kind == Mention::Kind::kLoop)
      return bad_input("unknown_loop", fmt::format("there is no loop '{}'", mention.name),
                       place(mention.line));
    return environment_failed(
        "fact_not_known", fmt::format("the text shows {}, which is not known here", mention.name),
        place(mention.line));
  }

  /// As a journal's line; what only a window can do is left out where there is none.
  Status act(Move const& move) {
    journal::Form const* form = journal::form_of(*move.action);
    bool alone = form && form->info.who == journal::Who::kSession;
    if (!stage_.has_window() && !alone) return {};
    auto before = stage_.snapshot().error;
    Status status = stage_.perform(*move.action);
    if (!stage_.settle(kPatience))
      return environment_failed("still_busy",
                                fmt::format("still busy after {} seconds", int(kPatience)),
                                place(move.line));
    if (!status) return refused("action_failed", to_sentence(status.error()), place(move.line));
    auto error = stage_.snapshot().error;
    if (error && (!before || before->sentence != error->sentence))
      return refused("action_failed", error->sentence, place(move.line));
    return {};
  }

  /// With what the fact says: whether that is one of the choices is what can be wrong here.
  Status answer(Move const& move) {
    Goal const* goal = walk_.open_question();
    if (!goal) return bad_input("no_question", "no question is open here", place(move.line));
    auto value = fact_(goal->expect.fact);
    if (!value) return not_known(*goal);
    std::string words = answer_words(*value);
    if (!goal->choices.empty() && std::ranges::find(goal->choices, words) == goal->choices.end())
      return refused("goal_not_reached",
                     fmt::format("the answer to '{}' is '{}', which is none of the choices",
                                 goal->text, words),
                     place(goal->line));
    TRY(walk_.answer(words, fact_));
    judge_reached(*goal, move.line, move.text);
    return {};
  }

  void look(Move const& move) {
    if (!walk_.look(fact_)) return;
    for (Goal const& goal : walk_.step().goals)
      if (walk_.is_reached(goal) && judged(goal).verdict == Verdict::kRed)
        judge_reached(goal, move.line, move.text);
  }
  void judge_reached(Goal const& goal, int line, std::string const& by) {
    Judged& one = judged(goal);
    one.verdict = Verdict::kReached;
    one.by_line = line;
    one.by = by;
  }

  /// What holds already would be green without anything done. What is measured may hold on a fast
  /// machine, as long as something else is left to do.
  void judge_the_start() {
    auto const& goals = walk_.step().goals;
    bool other = std::ranges::any_of(
        goals, [](Goal const& goal) { return goal.asks || !is_measured(goal.expect.fact); });
    for (Goal const& goal : goals) {
      if (goal.asks || (other && is_measured(goal.expect.fact))) continue;
      auto value = fact_(goal.expect.fact);
      if (!value || !journal::holds(goal.expect, *value)) continue;
      judged(goal).verdict = Verdict::kAtTheStart;
      judged(goal).why = "it holds before anything is done in its step";
      fail(Error{"goal_at_the_start",
                 fmt::format("'{}' holds before anything is done in its step", goal.text),
                 place(goal.line), Fault::kRefused});
    }
  }

  bool waits_for_a_measurement() const {
    return std::ranges::any_of(walk_.step().goals, [&](Goal const& goal) {
      return !goal.asks && !walk_.is_reached(goal) && is_measured(goal.expect.fact) &&
             stage_.fact(goal.expect.fact);
    });
  }
  /// Others may have used the machine meanwhile.
  void measure_again() {
    for (int i = 0; i < kMeasurements && waits_for_a_measurement(); ++i) {
      if (!stage_.perform(session::MeasureAgain{}) || !stage_.settle(kPatience)) return;
      look({walk_.step().solution.back().line, "measure", {}, {}});
    }
  }

  void judge_the_end() {
    for (Goal const& goal : walk_.step().goals) {
      Judged& one = judged(goal);
      if (one.verdict != Verdict::kRed) continue;
      auto value = fact_(goal.expect.fact);
      one.why = goal.asks ? "the solution does not answer it"
                          : fmt::format("{}: {}", journal::to_text(goal.expect).substr(7),
                                        journal::words_of(value, unit_of(goal.expect.fact)));
      if (!value) {
        one.verdict = Verdict::kNotKnown;
        fail(not_known(goal).error());
        continue;
      }
      fail(Error{"goal_not_reached", fmt::format("'{}' is not reached; {}", goal.text, one.why),
                 place(goal.line), Fault::kRefused});
    }
  }
  std::unexpected<Error> not_known(Goal const& goal) const {
    return environment_failed(
        "goal_not_known",
        fmt::format("'{}' cannot be judged here: {} is not known", goal.text, goal.expect.fact),
        place(goal.line));
  }

  Walk walk_;
  journal::Stage& stage_;
  FactOf fact_;
  Checked done_;
};

}  // namespace

Checked check(Lesson const& lesson, journal::Stage& stage) { return Checker(lesson, stage).run(); }

}  // namespace tw::lesson
