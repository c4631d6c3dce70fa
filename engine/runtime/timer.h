/// Measures how long steps take: the least of a few samples, with their spread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/runtime/timed_by.h"
#include "engine/support/base/error.h"

namespace tw {

struct TimingOptions {
  int warm_up = 1;                    ///< runs before the first sample
  int repeats = 5;                    ///< samples
  double min_sample_seconds = 50e-6;  ///< a shorter list of steps is run several times per sample
  double most_seconds = 10;           ///< no new sample begins after this; one is always taken
  /// More than 0: something that takes so long is known. No second sample where the first one is
  /// 1.3 times as slow, no third where both are 1.08 times as slow.
  double incumbent_seconds = 0;
};

/// Seconds of one run, for each sample in the order taken.
struct Samples {
  std::vector<double> seconds;
  double least() const;
  double median() const;
  double spread() const;  ///< (median - least) / least
};

struct Timing {
  Samples total;               ///< of the whole list of steps
  std::vector<Samples> steps;  ///< one per step, as many samples as `total`
  std::vector<double> speed;   ///< `probe_speed()` after each sample: a slow moment shows
  int64_t runs_per_sample = 1;
  TimedBy by = TimedBy::kHost;  ///< all of them
};

/// Moments between steps. They are numbered; one that is marked again is another moment.
class StepClock {
public:
  virtual ~StepClock() = default;
  virtual TimedBy by() const = 0;
  /// Moment `index` is when the steps before it are done, which need not be now.
  virtual Status mark(size_t index) = 0;
  /// Seconds, when both moments have come.
  virtual Result<double> between(size_t from, size_t to) = 0;
};

/// Moments 0 to `step_moments(count) - 1` are marked in a measurement of `count` steps.
inline size_t step_moments(size_t count) { return count + 2; }

/// Runs step 0..count-1; a step returns 0 or a code, which ends the measurement with
/// kernel_failed ("stopped with code 7": the caller knows the step that ran last).
/// `stop`, where given, is asked between runs; once true the measurement ends with cancelled.
/// `own_seconds`, where given, is asked after each step: where it answers, it says what the step
/// took, and there is one run of all, since another would take the same. `clock`: what else the
/// times are read from; null: the host's clock, and a step is done when it returns.
using OwnSeconds = std::function<std::optional<double>()>;
Result<Timing> time_steps(size_t count, std::function<int32_t(size_t)> const& step,
                          TimingOptions const& timing_options,
                          std::function<bool()> const& stop = {},
                          OwnSeconds const& own_seconds = {}, StepClock* clock = nullptr);

/// How fast this core is right now: a burst of some 20 us of multiply-adds, in 1e9 per second.
/// Only compared with itself: it falls when the clock drops or the core is shared.
double probe_speed();

}  // namespace tw
