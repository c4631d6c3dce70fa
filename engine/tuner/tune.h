/// The tuner's loop: a search proposes, one thread compiles while another measures, every result is
/// judged against the right answer, and what is called the best was measured again beside the
/// schedule by rule.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/device/device.h"
#include "engine/records/trial.h"
#include "engine/te/expected.h"
#include "engine/tuner/device_speed.h"
#include "engine/tuner/machine_turns.h"
#include "engine/tuner/search/search.h"

namespace tw {

/// Of a kernel that is tuned alone.
inline constexpr int kFinalists = 8;
/// The error of a search that has no device left.
inline constexpr char kNoDevice[] = "no_device";

/// What became of a candidate. Only what was right has a time.
struct Attempt {
  int number = 0;  ///< from 1
  Point point;
  std::string script;
  records::Outcome outcome = records::Outcome::kOk;
  std::vector<double> seconds;              ///< samples, as of a device that did not slow down
  std::string sentence;                     ///< of what was not right
  int device = 0;                           ///< number of the one that tried it
  double best_seconds = 0;                  ///< of all so far, this one too; 0: none was right
  std::optional<double> predicted_seconds;  ///< what the search thought before it was measured
  double modelled_seconds = 0;              ///< what the target's model says of it; 0: nothing
  double probe_rate = 0;                    ///< of the device beside the samples; 0: not known
};

/// What a device of a search does now.
enum class DeviceWork : uint8_t { kIdle, kCompiling, kMeasuring, kLost, kBarred };

/// What became of one of the devices of a search.
struct DeviceShare {
  std::string name;
  int trials = 0;
  int lost = 0;        ///< how often it did not answer any more
  int slowed = 0;      ///< how often it was too slow to be compared with what it was
  std::string reason;  ///< why it takes no part now; empty: it does
  DeviceWork work = DeviceWork::kIdle;
  int trial = 0;  ///< that it measures, in the order in which trials were begun
};

/// A trial that was made before. Without a time: it was not right, or did not run.
struct KnownTrial {
  Point point;
  std::optional<double> seconds;
};

struct TuneOptions {
  int trials = 64;     ///< candidates that are compiled; the least of both budgets ends the search
  double seconds = 0;  ///< 0: as long as the trials take
  uint64_t seed = 1;
  int threads = 1;  ///< that kernels run with
  std::string search = "learned";
  Learning learning = {};                 ///< how a search which learns does
  std::vector<std::string> device_names;  ///< in the order of the devices; for people
  /// Compile the next candidate while one is measured: not where the kernels need all processors of
  /// the machine that compiles.
  bool overlap = true;
  std::vector<Point> first;  ///< tried before what the search proposes: known from earlier
  /// Whether this search alone tries that schedule, where others search the same kernel beside it;
  /// null: it is alone. From any thread of the search, several at a time.
  std::function<bool(std::string const& script)> claims = {};
  /// Trials of this very search, which was cut off: the search is told of them, and they are not
  /// made again.
  std::vector<KnownTrial> known;
  /// What trials of other kernels teach; null: nothing.
  std::shared_ptr<TransferHistory const> experience;
  /// Where no device has made a trial for so long, the search fails; 0: each trial of the last one
  /// is one that was lost.
  double lost_seconds = 0;
  /// A device that goes in the last comparison is waited for so long, and the comparison is made
  /// again.
  double finals_seconds = 60;
  /// A device that slowed down and is the only one is waited for so long.
  double slow_seconds = 0.5;
  /// What is known of the devices' speeds from other kernels, by their numbers; null: nothing.
  std::shared_ptr<std::map<size_t, DeviceSpeed>> speeds;
  /// Where searches of several kinds of devices compile on one machine; null: only this one.
  std::shared_ptr<MachineTurns> turns;
  std::set<size_t> here;  ///< devices that are that machine
  StopToken stop;
  /// Ends the search after the trials that run now; unlike with `stop`, what was found is compared.
  StopToken enough = {};
  /// From any thread of the search, one at a time.
  std::function<void(Attempt const&)> on_attempt;
  /// The same, whenever a device begins something else: its number, and how it stands.
  std::function<void(int device, DeviceShare const&)> on_device = {};
};

/// Why a search ended.
enum class TuneEnd : uint8_t { kTrials, kSeconds, kConverged, kStopped };
std::string_view name_of(TuneEnd end);

/// The error of a search none of whose devices has taken part for so long.
Error no_device(double seconds, std::vector<DeviceShare> const& devices);

/// Where the time of a search went, in seconds of all trials. The first two go on beside the others
/// where compiling overlaps measuring.
struct TrialCosts {
  double proposing = 0;  ///< the search itself, and the schedules of its candidates
  double compiling = 0;  ///< lowering, code generation, linking
  double waiting = 0;    ///< of the measuring side, for the other
  double running = 0;  ///< on the device: loading, a first run, the timed ones, outputs coming back
  double comparing = 0;  ///< outputs with the right ones
};

struct TuneResult {
  std::string script;       ///< of the best; the one by rule where nothing was better
  Point point;              ///< of that
  double seconds = 0;       ///< median of the last, interleaved comparison
  double rule_seconds = 0;  ///< of the schedule by rule, in the same comparison
  std::vector<Attempt> attempts;
  std::vector<DeviceShare> devices;     ///< in their order
  std::map<std::string, int> rejected;  ///< points that were not compiled, by reason
  int repeated = 0;                     ///< proposals that were known
  double space_size = 0;
  Modelled modelled;
  TrialCosts costs;
  double wall_seconds = 0;  ///< of the search, without the last comparison
  TuneEnd end = TuneEnd::kTrials;
};

/// A tuning that can be left and gone on with. Not thread-safe; the devices outlive it.
///
/// Several devices of one kind share its trials: each takes the next candidate when it is done with
/// one. A device that does not answer, or that fails (failures.h says whose a failure is), gives
/// its candidate back, is left alone for a while, and takes part again when it answers; one that
/// calls right what is wrong, gives times that cannot be again and again, or whose times of a known
/// kernel are not like the others', takes part no more.
/// What a device measures that has slowed down (`kSlowestSpeed`) counts for nothing: it gives its
/// candidate back, too, and takes part again at its old speed. Where it is the only one and stays
/// slow, the best so far is measured again, and says by which factor later samples are as of the
/// old speed.
class KernelTuning {
public:
  /// `inputs` and `expected` are the kernel's. Errors: unknown_search, those of the space.
  static Result<std::unique_ptr<KernelTuning>> create(Space space, std::vector<Device*> devices,
                                                      std::vector<NDArray> inputs,
                                                      te::Expected expected, TuneOptions options);
  static Result<std::unique_ptr<KernelTuning>> create(Space space, Device& device,
                                                      std::vector<NDArray> inputs,
                                                      te::Expected expected, TuneOptions options) {
    return create(std::move(space), std::vector<Device*>{&device}, std::move(inputs),
                  std::move(expected), std::move(options));
  }
  virtual ~KernelTuning() = default;

  /// Goes on until there are so many trials more, or for so long (0: however long they take);
  /// says why it stopped. Never more than the options have for all. Errors: those of the space;
  /// no_device (`lost_seconds`).
  virtual Result<TuneEnd> search(int trials, double seconds) = 0;
  /// Of the trials that were right, in seconds; 0: there is none.
  virtual double best_seconds() const = 0;
  virtual double rule_seconds() const = 0;  ///< the same of the schedule by rule alone
  virtual int trials() const = 0;
  /// The last comparison, of `finalists` at most and the schedule by rule; nothing may follow it.
  /// Errors: nothing_ran, where not even the schedule by rule was right.
  virtual Result<TuneResult> finish(int finalists = kFinalists) = 0;
};

/// One from the first trial to the last. Errors: those of `KernelTuning`.
Result<TuneResult> tune(Space const& space, Device& device, std::vector<NDArray> inputs,
                        te::Expected const& expected, TuneOptions const& options);

}  // namespace tw
