/// Plays a journal line by line, and looks whether it sees what was expected: in a window, or in a
/// session alone.
#pragma once

#include <chrono>
#include <memory>

#include "app/shared/journal/journal.h"

namespace tw::journal {

/// Whether a fact of this value is what was expected.
bool holds(Expect const& expect, session::FactValue const& value);
/// "it is 3 ms", "its value is not known".
std::string words_of(std::optional<session::FactValue> const& value, std::string const& unit);

/// Where a journal is played.
class Stage {
public:
  virtual ~Stage() = default;
  virtual bool has_window() const = 0;
  /// Errors: it was not done.
  virtual Status perform(Action const& action) = 0;
  /// Waits until all is still; false: that took longer than `seconds`.
  virtual bool settle(double seconds) = 0;
  virtual session::Snapshot snapshot() const = 0;
  virtual std::optional<session::FactValue> fact(std::string const& name) const = 0;
  /// What is still said to be wrong; empty: nothing.
  virtual std::string said() const = 0;
};

/// A line that needs a window where there is none.
struct Skipped {
  int line = 0;
  std::string text, why;
};
struct Played {
  int actions = 0, expectations = 0;  ///< that were done, and that hold
  std::vector<Skipped> skipped;
};

/// One line after the other, each in two parts: between them one waits until all is still.
class Player {
public:
  Player(Journal journal, Stage& stage) : journal_(std::move(journal)), stage_(stage) {}
  bool at_end() const { return at_ >= journal_.lines.size(); }
  /// The next line, from 0.
  size_t at() const { return at_; }
  Journal const& journal() const { return journal_; }
  Played const& played() const { return played_; }
  /// The line that was begun needs a window that is not there.
  bool skips() const { return skips_; }

  /// Begins the next line.
  void begin();
  /// Once all is still: looks what came of it, and goes on to the next line in any case. Errors:
  /// those of `play` but still_busy.
  Status finish();
  /// The error where it does not become still.
  Error still_busy(double seconds) const;

private:
  Place place() const;
  std::string why_not(Line const& line);
  bool error_is_expected(size_t from) const;
  Status judge_action() const;
  Status check(Expect const& expect) const;
  void at_home(Action& action) const;
  void make_absolute(std::string& path) const;

  Journal journal_;
  Stage& stage_;
  Played played_;
  size_t at_ = 0;
  std::chrono::steady_clock::time_point began_;
  session::Snapshot before_;  ///< when the action was begun
  Status status_;             ///< what carrying it out said
  double elapsed_ = 0;
  bool skips_ = false;  ///< the line needs a window that is not there
  int left_out_ = 0;    ///< the line of the last action, when it was not done
  int lost_at_ = 0;     ///< the line since when the session is not what the journal means; 0: it is
};

/// Every action is followed by `settle`. Relative paths of models are taken from the journal's
/// folder. Errors: expectation_failed (with what was there instead), action_failed (it went wrong
/// and no `expect error` follows), still_busy; with the journal's file and line.
Result<Played> play(Journal const& journal, Stage& stage);

}  // namespace tw::journal
