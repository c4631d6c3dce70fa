/// Plays a journal line by line, and looks whether it sees what was expected: in a window, or in a
/// session alone.
#pragma once

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

/// Every action is followed by `settle`. Relative paths of models are taken from the journal's
/// folder. Errors: expectation_failed (with what was there instead), action_failed (it went wrong
/// and no `expect error` follows), still_busy; with the journal's file and line.
Result<Played> play(Journal const& journal, Stage& stage);

}  // namespace tw::journal
