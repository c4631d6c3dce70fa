/// Tuning in a session: the commands, and what a snapshot shows of it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tw::session {

/// What entries of histories are called that a tuner found.
inline constexpr char kTunedLabel[] = "tuned";

/// A search for a faster schedule of the current kernel. It goes on while the person edits; one at
/// a time.
struct Tune {
  int trials = 64;     ///< candidates to measure
  double seconds = 0;  ///< ends it, too; 0: only the trials do. Pauses count
  std::string search;  ///< empty: the first that there is
  int seed = 1;
};
/// After the trial that runs now.
struct PauseTuning {};
struct ResumeTuning {};
/// What was tried stays.
struct StopTuning {};
/// Its script as steps of the kernel's history, from the plain nest on: the current branch then.
struct OpenTrial {
  int trial = 0;
  int run = 0;  ///< its number; 0: the last run
};
/// The same with a trial of the store, into the history of the open model's kernel that it is of.
struct OpenStored {
  int trial = 0;  ///< its number in the store
};
/// Forgets the runs that have ended.
struct ClearTuning {};

enum class TuningState : uint8_t { kPreparing, kRunning, kPaused, kComparing, kEnded };
std::string_view name_of(TuningState state);  ///< "preparing"

/// What became of a candidate, in the order in which failures are shown.
enum class TrialClass : uint8_t {
  kRight,
  kInvalid,
  kCompileError,
  kTimeout,
  kCrash,
  kDeviceLost,
  kWrong,
};

struct TuningTrial {
  int number = 0;  ///< from 1 in its run
  TrialClass outcome = TrialClass::kRight;
  double ms = 0;            ///< its shortest run; 0: it was not right
  double best_ms = 0;       ///< of all so far, this one too; 0: none was right
  double predicted_ms = 0;  ///< what the search thought before it was measured; 0: nothing
  std::vector<std::pair<std::string, std::string>> knobs;  ///< name and value
  std::string sentence;                                    ///< of what was not right
  std::string script;
};

/// One search from the first trial to the last.
struct TuningRun {
  int number = 0;  ///< from 1 in the session
  int row = -1;    ///< of the kernel in the table
  std::string kernel, search, device;
  int seed = 1;
  TuningState state = TuningState::kPreparing;
  int budget = 0;  ///< trials
  std::vector<std::shared_ptr<TuningTrial const>> trials;
  double trials_a_second = 0;          ///< 0: not known yet
  std::optional<double> seconds_left;  ///< an estimate
  std::string ended;                   ///< why: "all trials are done"; empty: it goes on
  std::string error;                   ///< a sentence; empty: it went well
  std::string not_stored;              ///< why trials are not in the store; empty: all are
  /// Medians of the last comparison; where it was stopped before, what was known of the default,
  /// and nothing of the best.
  std::optional<double> best_ms, default_ms;
  int best = 0;                         ///< the trial that is offered; 0: none was better
  std::map<std::string, int> rejected;  ///< points that were not compiled, by reason
  int repeated = 0;                     ///< proposals that were known

  bool goes_on() const { return state != TuningState::kEnded; }
  /// The shortest time that a trial had; 0: none was right.
  double least_ms() const { return trials.empty() ? 0 : trials.back()->best_ms; }
  int failed() const;
  TuningTrial const* trial(int wanted) const;  ///< null: there is none of that number
};

/// All runs since the model was opened, the oldest first.
struct TuningView {
  std::vector<std::shared_ptr<TuningRun const>> runs;
  /// Null: there is none of that number; 0: the last one.
  TuningRun const* run(int number = 0) const;
};

}  // namespace tw::session
