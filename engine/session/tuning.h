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

/// A search for a faster schedule of the current kernel, on one or more devices. It goes on while
/// the person edits; one at a time.
struct Tune {
  static constexpr bool kOfSession = true;
  int trials = 64;     ///< candidates to measure
  double seconds = 0;  ///< ends it, too; 0: only the trials do. Pauses count
  std::string search;  ///< empty: the first that there is
  int seed = 1;
  /// A step of the history: what led there stays, and the search chooses its numbers. 0: it chooses
  /// what the target's template leaves open.
  int from = 0;
  std::string keep;  ///< knobs that stay as they are, by name, with spaces between them
  /// The devices that search, by name, with spaces between them; empty: the one in use. Those of
  /// one kind share the trials; each other kind has as many of its own, and is searched for beside
  /// it.
  std::string on;
};
/// Job: searches for schedules of all kernels of the model with one budget, and compares networks:
/// what is faster there becomes the kernels' schedules. One tuning at a time, whatever it is of.
struct TuneModel {
  static constexpr bool kOfSession = true;
  int trials = 0;      ///< of all kernels together; 0: 32 for each, or as the time allows
  double seconds = 0;  ///< ends it, the last comparisons too; 0: the trials do
  std::string search;  ///< empty: the first that there is
  int seed = 1;
  std::string on;  ///< the devices, as `Tune` has them
  /// 1: other layouts and algorithms are tried first, as `Arrange` takes them, on a device of the
  /// kind in use; what makes the network faster stays.
  int arranges = 0;
};
/// Job: each step of the schedule that leads here is left out, and what that costs is measured.
struct AblateStep {
  static constexpr bool kOfSession = true;
  int history_node = 0;
};
/// The same for a trial: of the target's template each choice is set back to that of the rule.
struct AblateTrial {
  static constexpr bool kOfSession = true;
  int trial = 0;
  int run = 0;  ///< its number; 0: the last run
};
/// After the trial that runs now.
struct PauseTuning {
  static constexpr bool kOfSession = true;
};
struct ResumeTuning {
  static constexpr bool kOfSession = true;
};
/// What was tried stays. A model's kernels are still compared; asked once more, that ends, too.
struct StopTuning {
  static constexpr bool kOfSession = true;
};
/// Its script as steps of the kernel's history, from the plain nest on: the current branch then.
struct OpenTrial {
  static constexpr bool kOfSession = true;
  int trial = 0;
  int run = 0;  ///< its number; 0: the last run
};
/// The same with a trial of the store, into the history of the open model's kernel that it is of.
struct OpenStored {
  static constexpr bool kOfSession = true;
  int trial = 0;  ///< its number in the store
};
/// Forgets the runs that have ended.
struct ClearTuning {
  static constexpr bool kOfSession = true;
};

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

/// What a device of a tuning does now.
enum class DeviceDoes : uint8_t {
  kIdle,        ///< it waits for others, or the search is over
  kCompiling,   ///< its next candidate is chosen and compiled
  kMeasuring,   ///< a candidate runs there
  kLost,        ///< it does not answer, and is asked again
  kQuarantine,  ///< it called right what is wrong, and is asked no more
};
std::string_view name_of(DeviceDoes does);  ///< "measuring"

struct TuningDevice {
  std::string name;
  std::string machine;  ///< its kind, in words; empty: it was not asked yet
  DeviceDoes does = DeviceDoes::kIdle;
  int trial = 0;               ///< that it measures
  int trials = 0;              ///< that it has done
  int lost = 0;                ///< how often it did not answer any more
  double trials_a_second = 0;  ///< 0: not known yet
  std::string reason;          ///< why it is lost or in quarantine
};

/// What a search may choose: of the target's template, or of a schedule's own numbers.
struct SpaceKnob {
  std::string name;   ///< "conv2d.o.factor"
  int values = 1;     ///< how many it may take
  std::string value;  ///< as it is now
};
struct TuningSpace {
  int from = 0;                  ///< the step; 0: of the template
  std::string of;                ///< "split": what the step did; empty: of the template
  std::vector<SpaceKnob> knobs;  ///< those that have more than one value
  std::string error;             ///< why there is none; empty: there is
  /// Points where these knobs stay, the others taken as independent.
  double size(std::vector<std::string> const& kept) const;
};

/// One search from the first trial to the last, on devices of one kind.
struct TuningRun {
  int number = 0;  ///< from 1 in the session
  int group = 0;   ///< the first of those that were begun together, each on another kind
  int row = -1;    ///< of the kernel in the table
  std::string kernel, search, device;
  int seed = 1;
  int from = 0;                   ///< the step whose numbers are searched; 0: the template
  std::vector<std::string> kept;  ///< knobs that stay as they are
  std::string kind;               ///< of its devices; only to be compared
  std::string machine;            ///< the same in words
  bool elsewhere = false;         ///< it is not the kind of the device in use
  TuningState state = TuningState::kPreparing;
  int budget = 0;  ///< trials
  std::vector<TuningDevice> devices;
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
  /// Of the step that it searches from; 0: not known, or it is of the template.
  double from_ms() const;
  TuningTrial const* trial(int wanted) const;  ///< null: there is none of that number
};

/// A kernel of a model that is tuned.
enum class KernelTurn : uint8_t { kWaits, kSearched, kCompared, kTuned, kStays, kLeftOut };
std::string_view name_of(KernelTurn turn);  ///< "waits"

struct TunedKernelRow {
  int row = -1;  ///< of the kernel in the table
  std::string kernel;
  int calls = 1;
  KernelTurn turn = KernelTurn::kWaits;
  double before_ms = 0;   ///< in the network, all calls
  double after_ms = 0;    ///< the same, of the last comparison; 0: not compared yet
  double best_ms = 0;     ///< of its trials, one call; 0: none was right
  double default_ms = 0;  ///< the same of the schedule by rule
  int trials = 0;
  std::string sentence;  ///< why it was left out
  int run = 0;           ///< its number among the runs once the tuning is over; 0: it has none
};
enum class ModelTuningState : uint8_t {
  kTiming,     ///< the network as it stands
  kArranging,  ///< networks in other layouts, by other algorithms, in turns
  kSearching,
  kPaused,
  kComparing,  ///< the best of each kernel
  kNetworks,   ///< before and after, in turns
  kEnded,
};
std::string_view name_of(ModelTuningState state);  ///< "searching"

/// A layout or an algorithm that was tried before the kernels.
struct TriedChoice {
  std::string choice;  ///< "channel_block=8"
  double speedup = 0;  ///< of the network, over the best before; 0: it did not run
  bool kept = false;
  std::string sentence;  ///< why it did not run
};

/// The tuning of a whole model on devices of one kind.
struct ModelTuningView {
  std::string search;
  std::string kind, machine;  ///< as in `TuningRun`
  bool elsewhere = false;
  ModelTuningState state = ModelTuningState::kTiming;
  int budget = 0;                       ///< trials; 0: as the time allows
  double seconds = 0;                   ///< of the budget; 0: as the trials take
  int trials = 0;                       ///< of all kernels
  double elapsed = 0;                   ///< seconds of work, without pauses
  bool stopping = false;                ///< it was stopped, and compares what was found
  std::vector<TriedChoice> choices;     ///< tried first, in this order
  std::vector<TunedKernelRow> kernels;  ///< those that take most come first
  std::vector<TuningDevice> devices;
  std::optional<double> before_ms, after_ms;  ///< of the network: of the same rounds
  int changed = 0;         ///< kernels that got another schedule, or will on a device of this kind
  std::string ended;       ///< why: "all trials are done"; empty: it goes on
  std::string error;       ///< a sentence; empty: it went well
  std::string not_stored;  ///< why trials are not in the store; empty: all are
  bool goes_on() const { return state != ModelTuningState::kEnded; }
};

/// What each part of a schedule carries.
struct AblatedPart {
  std::string name;            ///< "conv2d.oc.i: 16, default 8", or a script line
  std::string detail;          ///< what goes with it: "and 3 steps that need it"; often empty
  std::optional<double> loss;  ///< of time, without it: 0.8 is 80 % slower
  double share = 0;            ///< of all that is lost, 0..1
  std::string sentence;        ///< why there is no loss known
};
struct AblationView {
  int number = 0;  ///< from 1 in the session
  std::string kernel;
  std::string title;        ///< "trial 12 of the genetic search", "step 7, vectorize"
  int row = -1;             ///< of the kernel in the table
  bool of_choices = false;  ///< its parts are choices of a template, else steps
  bool goes_on = true;
  std::vector<AblatedPart> parts;  ///< while it goes on in their order, then the largest first
  std::optional<double> ms, default_ms;  ///< of the same rounds
  std::string error;                     ///< a sentence; empty: it went well
};

/// A device that may share a tuning.
struct DeviceChoice {
  std::string name;
  std::string machine;     ///< its kind, in words; empty: it did not answer
  bool same_kind = false;  ///< as the one in use
  std::string trouble;     ///< why it did not answer
};

/// Where a kernel will stand once a device of another kind than the one in use is put in use.
struct KeptSchedule {
  std::string kernel;
  std::string machine;  ///< the kind, in words
  std::string device;   ///< that it was found on
  double ms = 0;        ///< there; 0: not known
};

/// All runs since the model was opened, the oldest first.
struct TuningView {
  std::vector<std::shared_ptr<TuningRun const>> runs;
  std::shared_ptr<ModelTuningView const> model;  ///< the last one; null: there was none
  std::shared_ptr<AblationView const> ablation;  ///< the last one; null: there was none
  /// What was begun with `model` on other kinds of devices.
  std::vector<std::shared_ptr<ModelTuningView const>> beside = {};
  std::vector<KeptSchedule> kept = {};  ///< for other kinds of devices
  /// Null: there is none of that number; 0: the last one, of several that were begun together the
  /// first.
  TuningRun const* run(int number = 0) const;
  bool goes_on() const;        ///< a search of a kernel
  bool model_goes_on() const;  ///< a search of the model
};

}  // namespace tw::session
