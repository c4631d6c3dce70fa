// SPDX-License-Identifier: GPL-3.0-or-later
/// What all parts of a timeline's view share: the runs, the cycles that are seen, the chosen
/// instruction, the cycle that one stands at, breakpoints.
#pragma once

#include <QObject>
#include <QString>
#include <set>
#include <vector>

#include "engine/session/timeline.h"

namespace tw {

/// A simulated or modelled run with its name; its state has a timeline.
struct TimelineRun {
  QString name;
  std::shared_ptr<session::SimulatedState const> state;
  Timeline const& timeline() const { return *state->timeline; }
  session::TimelineIndex const& index() const { return *state->index; }
  double total_ms = 0;  ///< of a run with its launch, as other views say it; 0: not known
};

/// A push or a pop of a queue, by its counter.
struct TimelineBreak {
  int queue = 0;
  bool push = true;
  auto operator<=>(TimelineBreak const&) const = default;
};

class TimelineFocus : public QObject {
  Q_OBJECT
public:
  using QObject::QObject;

  /// One or two; the last one is the one that the lists are about. What was seen and chosen stays
  /// where it can.
  void show(std::vector<TimelineRun> runs);
  std::vector<TimelineRun> const& runs() const { return runs_; }
  TimelineRun const* current() const { return runs_.empty() ? nullptr : &runs_.back(); }
  int current_number() const { return int(runs_.size()) - 1; }
  /// Of the longest run.
  int64_t cycles() const { return cycles_; }

  double from() const { return from_; }
  double to() const { return to_; }
  bool sees_all() const { return from_ <= 0 && to_ >= double(cycles_); }
  void see(double from, double to);
  void see_all() { see(0, double(cycles_)); }
  /// Below 1: nearer. `cycle` stays where it is.
  void zoom(double factor, double cycle);
  /// By a share of what is seen.
  void pan(double share) { see(from_ + share * (to_ - from_), to_ + share * (to_ - from_)); }

  int chosen_run() const { return chosen_run_; }
  int instruction() const { return instruction_; }  ///< of the chosen run; -1: none
  /// Of the current run; -1: none, or one of the other run is chosen.
  int current_instruction() const { return chosen_run_ == current_number() ? instruction_ : -1; }
  /// The cursor goes to where it begins.
  void choose(int run, int instruction);
  int64_t cursor() const { return cursor_; }
  void put_cursor(int64_t cycle);
  /// To the instruction that begins `steps` later; into sight.
  void step(int steps);
  void bring_into_sight();
  /// Those that a finding is about; in the current run.
  std::vector<int32_t> const& marked() const { return marked_; }
  void mark(std::vector<int32_t> instructions);

  std::set<TimelineBreak> const& breaks() const { return breaks_; }
  void toggle(TimelineBreak one);
  /// To the next push or pop that a breakpoint is on; false: there is none.
  bool run_to_next();

  int memory() const { return memory_; }  ///< a counter; -1: the timeline has no memories
  void show_memory(int counter);
  /// The memory of another run of that name; -1: it has none.
  int memory_in(TimelineRun const& run) const;
  int lit_loop() const { return lit_loop_; }
  void light(int loop);

signals:
  void runs_changed();
  void seen_changed();
  void chosen_changed();  ///< or the cursor, or what is marked
  void breaks_changed();
  void memory_changed();
  void light_changed();

private:
  void choose_memory();

  std::vector<TimelineRun> runs_;
  int64_t cycles_ = 0;
  double from_ = 0, to_ = 1;
  int chosen_run_ = -1, instruction_ = -1;
  int64_t cursor_ = 0;
  std::vector<int32_t> marked_;
  std::set<TimelineBreak> breaks_;
  int memory_ = -1;
  int lit_loop_ = -1;
};

/// "13,794".
QString grouped(int64_t number);
/// "112 more turns of k0 · 91,203 cycles"
QString cut_words(Timeline::Cut const& cut);
/// With what is left out.
int64_t all_cycles(Timeline const& timeline);
/// "10,324 cycles · 103 µs": without a time where the clock is not known; "○ ..., modelled".
QString cycles_words(Timeline const& timeline);
/// "37,601 cycles · 376 µs + 70.5 µs launch = 447 µs": other views show the sum.
QString time_words(TimelineRun const& run);

}  // namespace tw
