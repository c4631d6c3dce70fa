#include "engine/runtime/timer.h"

#include <algorithm>
#include <chrono>

#include "engine/runtime/kernel_code.h"

namespace tw {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class HostSteps final : public StepClock {
public:
  explicit HostSteps(size_t moments) : moments_(moments) {}
  TimedBy by() const override { return TimedBy::kHost; }
  Status mark(size_t index) override {
    moments_[index] = Clock::now();
    return {};
  }
  Result<double> between(size_t from, size_t to) override {
    return std::chrono::duration<double>(moments_[to] - moments_[from]).count();
  }

private:
  std::vector<Clock::time_point> moments_;
};

/// The state of one measurement, so that its parts stay short.
class Measurement {
public:
  Measurement(size_t count, std::function<int32_t(size_t)> const& step,
              OwnSeconds const& own_seconds, StepClock& clock)
      : step_(step), own_seconds_(own_seconds), clock_(clock) {
    step_seconds_.resize(count);
  }

  /// Runs the list `runs` times; false when a step failed. `step_seconds_` and `total_` hold sums.
  bool run(int64_t runs) {
    code_ = 0;
    clocked_ = step_seconds_.size() == 1 ? run_one(runs) : run_several(runs);
    return code_ == 0 && clocked_;
  }

  /// Runs the list once by the steps' own clock. None: there is no such clock, and nothing ran;
  /// else whether no step failed.
  std::optional<bool> run_by_own_clock() {
    if (!own_seconds_ || !own_seconds_()) return std::nullopt;  // what was before does not count
    by_ = TimedBy::kSimulator;
    total_ = 0;
    for (size_t s = 0; s < step_seconds_.size(); ++s) {
      code_ = step_(s);
      if (code_ != 0) return false;
      step_seconds_[s] = own_seconds_().value_or(0);
      total_ += step_seconds_[s];
    }
    return true;
  }

  /// Finds the number of runs that last at least `least_seconds`; the last run is a sample of it.
  bool calibrate(double least_seconds, int64_t& runs) {
    constexpr int64_t kMostRuns = 1 << 24;
    for (runs = 1;;) {
      if (!run(runs)) return false;
      if (total_ >= least_seconds || runs == kMostRuns) return true;
      double wanted = 1.2 * least_seconds * double(runs) / std::max(total_, 1e-9);
      runs = std::min(kMostRuns, int64_t(std::clamp(wanted, double(runs + 1), double(runs * 16))));
    }
  }

  void store(int64_t runs, Timing& timing) const {
    timing.total.seconds.push_back(total_ / double(runs));
    for (size_t s = 0; s < step_seconds_.size(); ++s) {
      timing.steps[s].seconds.push_back(step_seconds_[s] / double(runs));
    }
    timing.speed.push_back(probe_speed());
  }

  /// The samples so far leave no doubt. Those of a least of three vary by less than a hundredth;
  /// one alone may be a tenth off and more.
  static bool is_beaten(Samples const& samples, double incumbent) {
    if (incumbent <= 0) return false;
    double factor = samples.seconds.size() == 1 ? 1.3 : 1.08;
    return samples.least() > factor * incumbent;
  }

  static std::unexpected<Error> cancelled() {
    return refused("cancelled", "the measurement was cancelled");
  }
  std::unexpected<Error> failure() const {
    return clocked_ ? stopped_with("a step", code_) : std::unexpected(clocked_.error());
  }
  TimedBy by() const { return by_; }

private:
  /// Its time is the total: a clock read around each run would count into it.
  Status run_one(int64_t runs) {
    TRY(clock_.mark(0));
    for (int64_t i = 0; i < runs; ++i)
      if (code_ = step_(0); code_ != 0) return {};
    TRY(clock_.mark(1));
    TRY_ASSIGN(total_, clock_.between(0, 1));
    step_seconds_[0] = total_;
    return {};
  }

  /// Moment s is before step s; the one after the last of them is when all runs began.
  Status run_several(int64_t runs) {
    size_t count = step_seconds_.size(), begin = count + 1;
    std::ranges::fill(step_seconds_, 0.0);
    TRY(clock_.mark(begin));
    for (int64_t i = 0; i < runs; ++i) {
      TRY(clock_.mark(0));
      for (size_t s = 0; s < count; ++s) {
        if (code_ = step_(s); code_ != 0) return {};
        TRY(clock_.mark(s + 1));
      }
      for (size_t s = 0; s < count; ++s) {
        TRY_ASSIGN(double seconds, clock_.between(s, s + 1));
        step_seconds_[s] += seconds;
      }
    }
    TRY_ASSIGN(total_, clock_.between(begin, count));
    return {};
  }

  std::function<int32_t(size_t)> const& step_;
  OwnSeconds const& own_seconds_;
  StepClock& clock_;
  TimedBy by_ = clock_.by();
  std::vector<double> step_seconds_;
  double total_ = 0;
  int32_t code_ = 0;
  Status clocked_;  ///< the clock's own failures
};

}  // namespace

double Samples::least() const { return seconds.empty() ? 0 : *std::ranges::min_element(seconds); }

double Samples::median() const {
  if (seconds.empty()) return 0;
  std::vector<double> sorted = seconds;
  std::ranges::sort(sorted);
  size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double Samples::spread() const { return least() > 0 ? (median() - least()) / least() : 0; }

namespace {

/// Samples until there are enough, after a warm-up. `timing` has as many steps as there are.
Status take_samples(Measurement& measurement, TimingOptions const& timing_options,
                    std::function<bool()> const& stop, Timing& timing) {
  auto start = Clock::now();
  auto must_stop = [&] { return stop && stop(); };
  for (int i = 0; i < timing_options.warm_up && seconds_since(start) <= timing_options.most_seconds;
       ++i) {
    if (!measurement.run(1)) return measurement.failure();
    if (must_stop()) return Measurement::cancelled();
  }
  int64_t& runs = timing.runs_per_sample;
  if (!measurement.calibrate(timing_options.min_sample_seconds, runs)) return measurement.failure();
  measurement.store(runs, timing);
  for (int i = 1; i < timing_options.repeats && seconds_since(start) < timing_options.most_seconds;
       ++i) {
    if (must_stop()) return Measurement::cancelled();
    if (Measurement::is_beaten(timing.total, timing_options.incumbent_seconds)) break;
    if (!measurement.run(runs)) return measurement.failure();
    measurement.store(runs, timing);
  }
  return {};
}

}  // namespace

Result<Timing> time_steps(size_t count, std::function<int32_t(size_t)> const& step,
                          TimingOptions const& timing_options, std::function<bool()> const& stop,
                          OwnSeconds const& own_seconds, StepClock* clock) {
  if (count == 0) return bad_input("nothing_to_time", "there are no steps to time");
  Timing timing;
  timing.steps.resize(count);
  HostSteps of_host(step_moments(count));
  Measurement measurement(count, step, own_seconds, clock ? *clock : of_host);
  if (auto ran = measurement.run_by_own_clock()) {
    if (!*ran) return measurement.failure();
    measurement.store(timing.runs_per_sample, timing);
  } else {
    TRY(take_samples(measurement, timing_options, stop, timing));
  }
  timing.by = measurement.by();
  return timing;
}

double probe_speed() {
  constexpr int kChains = 4, kLength = 15000;
  double values[kChains] = {1.0, 1.1, 1.2, 1.3};
  auto start = Clock::now();
  for (int i = 0; i < kLength; ++i) {
    for (double& value : values) value = value * 0.999 + 0.001;
  }
  double seconds = seconds_since(start);
  double volatile keep = values[0] + values[1] + values[2] + values[3];
  (void)keep;
  return seconds > 0 ? kChains * double(kLength) / seconds * 1e-9 : 0;
}

}  // namespace tw
