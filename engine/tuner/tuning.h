/// A search with its devices, candidates and results: what `KernelTuning::create` makes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "engine/tuner/finals.h"
#include "engine/tuner/proposals.h"
#include "engine/tuner/trial_runner.h"
#include "engine/tuner/tune.h"

namespace tw {

using Clock = std::chrono::steady_clock;

inline double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

inline constexpr char kLies[] = "it accepted a wrong result";  // such a device is asked no more
inline constexpr int kMostImpossible = 3;  // answers in a row, of a device that is asked no more
/// Of one candidate, while others were made: it may be what ends the devices.
inline constexpr int kMostLosses = 3;
inline constexpr std::chrono::milliseconds kFirstPause{50}, kLongestPause{2000};

class Tuning final : public KernelTuning {
public:
  Tuning(Space space, te::Expected expected, TuneOptions options)
      : space_(std::move(space)), expected_(std::move(expected)), options_(std::move(options)) {}

  Status begin(std::vector<Device*> const& devices, std::vector<NDArray> inputs);
  Result<TuneEnd> search(int trials, double seconds) override;
  double best_seconds() const override;
  double rule_seconds() const override { return rule_seconds_; }
  int trials() const override { return int(result_.attempts.size()); }
  Result<TuneResult> finish(int finalists) override;

private:
  /// How far one call of `search` may go, and why it went no further.
  struct Stretch {
    int last = 0;
    int taken = 0;  ///< trials that were made or are being made
    Clock::time_point start, deadline;
    TuneEnd end = TuneEnd::kTrials;
    std::optional<Error> failure;
    std::optional<Clock::time_point> alone_since;  ///< no device takes part
    std::optional<Clock::time_point>
        in_vain_since;  ///< every device has failed since its last trial
  };
  void work(size_t device, Stretch& stretch);
  void take_trials(size_t device, Stretch& stretch);
  bool may_take(Stretch& stretch);  ///< with the lock
  bool comes_to_take(Stretch& stretch);
  bool someone_else_works(size_t device) const;
  bool waits_for(size_t device, Trouble const& trouble, Stretch& stretch);
  bool is_over(Stretch& stretch);
  bool settles(size_t device, Stretch const& stretch);
  void fail_without_devices(Stretch& stretch);
  void note_failure(size_t device, Trouble const& trouble, Stretch& stretch);
  bool bars(size_t device, Trouble const& trouble, Stretch& stretch);
  bool is_hopeless(Compiled& compiled);
  std::expected<TrialSamples, Trouble> tried(size_t device, Compiled const& compiled);
  Attempt attempt_of(size_t device, Compiled const& compiled) const;
  Attempt attempt(size_t device, Compiled const& compiled, std::optional<Trouble>& trouble);
  std::deque<Compiled> taken(size_t device, Stretch& stretch);
  void try_together(size_t device, std::deque<Compiled>& mine);
  bool try_alone(size_t device, std::deque<Compiled>& mine, Stretch& stretch);
  void give_back(std::deque<Compiled>& mine, Stretch& stretch);
  std::optional<Trouble> doubted(size_t device, Compiled const& compiled, double seconds);
  void keep(Attempt attempt, Candidate const& candidate);
  void show(size_t device, DeviceWork work, int trial = 0);
  void keep_right(Candidate const& candidate, double seconds);
  Status take_known();
  void take_yardsticks(std::vector<size_t> const& devices, KernelCode const& code);
  std::vector<size_t> those_apart() const;
  double believed_yardstick() const;
  void bar_those_apart();
  std::vector<size_t> to_compare() const;
  void compare_devices();
  Result<FinalResult> compared(int finalists);
  std::optional<size_t> judge() const;
  bool waits_for_judge(Clock::time_point end);

  Space space_;
  te::Expected expected_;
  TuneOptions options_;
  std::vector<std::unique_ptr<TrialRunner>> runners_;
  std::mutex mutex_;  ///< of all below, while several devices work
  std::condition_variable given_back_;
  int begun_ = 0;                          // trials
  std::vector<int> failures_;              ///< of each device since its last trial,
  std::vector<std::string> last_failure_;  ///< and the last one in words
  std::set<size_t> barred_;                ///< devices that are asked no more
  std::map<size_t, double> yardsticks_;    ///< seconds of the schedule by rule, by device
  TuneResult result_;
  double rule_seconds_ = 0;
  std::vector<Finalist> right_;  ///< the best, sorted
  std::unique_ptr<Search> search_;
  std::unique_ptr<Proposals> proposals_;  ///< reads space and options
};

}  // namespace tw
