#include "engine/tuner/network_tuning.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "engine/tuner/budget_shares.h"

namespace tw {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSliceTrials = 16;
/// Of the time: the rest is for the last comparisons.
constexpr double kSearchShare = 0.75;
/// Fewer than for a kernel alone: each costs a compilation with all optimization.
constexpr int kNetworkFinalists = 3;
/// Of a kernel's time, that a trial must have gained to be compared again: less is noise.
constexpr double kWorthComparing = 0.01;

std::vector<double> seconds_of(std::vector<NetworkTask> const& tasks) {
  std::vector<double> seconds;
  for (NetworkTask const& task : tasks) seconds.push_back(task.seconds);
  return seconds;
}

class NetworkTuning {
public:
  NetworkTuning(std::vector<NetworkTask> const& tasks, NetworkBudget const& budget)
      : tasks_(tasks), budget_(budget), shares_(seconds_of(tasks)), tunings_(tasks.size()) {
    outcome_.tasks.resize(tasks.size());
  }

  Status search();
  void compare();
  NetworkOutcome take() {
    outcome_.seconds = elapsed();
    return std::move(outcome_);
  }

private:
  void take_known();
  void slice(int task);
  bool open(int task);
  std::optional<TuneEnd> ended() const;
  int trials_left() const;
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  double search_seconds() const { return budget_.seconds * kSearchShare; }

  std::vector<NetworkTask> const& tasks_;
  NetworkBudget const& budget_;
  BudgetShares shares_;
  std::vector<std::unique_ptr<KernelTuning>> tunings_;
  NetworkOutcome outcome_;
  std::optional<Error> failure_;
  Clock::time_point start_ = Clock::now();
};

int NetworkTuning::trials_left() const {
  if (budget_.trials <= 0) return kSliceTrials;
  int made = 0;
  for (TaskOutcome const& task : outcome_.tasks) made += task.trials;
  return budget_.trials - made;
}

std::optional<TuneEnd> NetworkTuning::ended() const {
  if (budget_.stop.stop_requested() || budget_.enough.stop_requested()) return TuneEnd::kStopped;
  if (budget_.seconds > 0 && elapsed() >= search_seconds()) return TuneEnd::kSeconds;
  if (trials_left() <= 0) return TuneEnd::kTrials;
  return std::nullopt;
}

bool NetworkTuning::open(int task) {
  if (tunings_[size_t(task)]) return true;
  auto opened = tasks_[size_t(task)].open();
  if (!opened) {
    outcome_.tasks[size_t(task)].left_out = opened.error().message;
    shares_.close(task);
    return false;
  }
  tunings_[size_t(task)] = std::move(*opened);
  return true;
}

/// No search: what others found is all there is.
void NetworkTuning::take_known() {
  for (int task : *budget_.known) {
    if (budget_.stop.stop_requested() || !open(task)) continue;
    KernelTuning& tuning = *tunings_[size_t(task)];
    double best = tuning.best_seconds(), rule = tuning.rule_seconds();
    // Where nobody timed the schedule by rule, the last comparison does.
    shares_.tell(task, best <= 0 ? 1 : rule > 0 ? std::min(1.0, best / rule) : 0.5, 1);
  }
}

/// Some trials of one kernel.
void NetworkTuning::slice(int task) {
  double before = elapsed();
  if (!open(task)) return;
  KernelTuning& tuning = *tunings_[size_t(task)];
  double seconds = budget_.seconds > 0 ? std::max(0.01, search_seconds() - elapsed()) : 0;
  auto end = tuning.search(std::min(kSliceTrials, trials_left()), seconds);
  outcome_.tasks[size_t(task)].trials = tuning.trials();
  // Of the devices, or of this machine: other kernels would meet the same.
  if (!end && end.error().fault == Fault::kEnvironment) failure_ = end.error();
  if (!end) outcome_.tasks[size_t(task)].left_out = end.error().message;
  if (!end || *end == TuneEnd::kConverged) shares_.close(task);
  double rule = tuning.rule_seconds(), best = tuning.best_seconds();
  shares_.tell(task, rule > 0 && best > 0 ? std::min(1.0, best / rule) : 1, elapsed() - before);
}

Status NetworkTuning::search() {
  if (budget_.known) {
    take_known();
    return {};
  }
  for (;;) {
    if (failure_) return std::unexpected(*failure_);
    if (auto end = ended()) {
      outcome_.end = *end;
      return {};
    }
    std::optional<int> task = shares_.next();
    if (!task) {
      outcome_.end = TuneEnd::kConverged;
      return {};
    }
    if (budget_.on_turn) budget_.on_turn(*task);
    slice(*task);
  }
}

/// Those that gained most are compared first, in case the time is over before all are.
void NetworkTuning::compare() {
  std::vector<int> order(tasks_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, std::greater(), [&](int task) { return shares_.gain(task); });
  for (int task : order) {
    double gain = shares_.gain(task);
    if (!tunings_[size_t(task)] || gain <= kWorthComparing * tasks_[size_t(task)].seconds) continue;
    if (budget_.stop.stop_requested() || (budget_.seconds > 0 && elapsed() >= budget_.seconds))
      return;
    if (budget_.on_finals) budget_.on_finals(task);
    auto result = tunings_[size_t(task)]->finish(kNetworkFinalists);
    if (result)
      outcome_.tasks[size_t(task)].result = std::move(*result);
    else
      outcome_.tasks[size_t(task)].left_out = result.error().message;
    tunings_[size_t(task)].reset();
  }
}

}  // namespace

Result<NetworkOutcome> tune_network(std::vector<NetworkTask> const& tasks,
                                    NetworkBudget const& budget) {
  NetworkTuning tuning(tasks, budget);
  TRY(tuning.search());
  if (budget.stop.stop_requested()) return refused("cancelled", "cancelled");
  tuning.compare();
  return tuning.take();
}

}  // namespace tw
