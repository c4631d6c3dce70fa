/// What carries the gain of a schedule: of a tuned one each knob set back to the rule's value, of
/// any one each step left out, one at a time, timed beside it.
#pragma once

#include "engine/measure/kernel_bench.h"
#include "engine/support/base/job.h"
#include "engine/te/expected.h"
#include "engine/tuner/space.h"

namespace tw {

/// A tuned point but for one knob.
struct SetBack {
  std::string knob, tuned;
  std::string rule;  ///< the rule's value, with the other knobs as tuned; empty: not asked for
  std::optional<Candidate> candidate;
  std::string sentence;        ///< why there is no time; empty: there is one, where it was timed
  std::optional<double> loss;  ///< median of the rounds' ratios to the tuned one, less 1

  /// Other knobs may ask for nothing else: the same code has the same time.
  bool changes_nothing = false;
};

/// Without times. Those of knobs that are as the rule has them, or are pinned, are left out.
/// Errors: those of the space, for the tuned point itself.
Result<std::vector<SetBack>> set_backs(Space const& space, Point const& tuned);

/// A schedule without one of its steps, and without those that need it.
struct LeftOut {
  std::string step;  ///< its line
  int others = 0;    ///< steps after it that were refused without it, and are left out, too
  std::optional<Schedule> schedule;
  std::string sentence;        ///< why there is no time; empty: there is one, where it was timed
  std::optional<double> loss;  ///< median of the rounds' ratios to the whole one, less 1
};

/// Without times: one for each step. Errors: cancelled.
Result<std::vector<LeftOut>> left_out(Schedule const& whole, std::shared_ptr<Target const> target,
                                      StopToken stop = {});

struct AblationOptions {
  int threads = 1;
  uint64_t seed = 1;
  int rounds = 15;
  StopToken stop;
  Progress progress = {};
};
struct Ablation {
  std::vector<SetBack> knobs;  ///< the largest loss first, then those without one
  double tuned_seconds = 0;    ///< median of the same rounds
  double rule_seconds = 0;     ///< the same of the schedule by rule; 0: it did not run
};
struct StepAblation {
  std::vector<LeftOut> steps;  ///< the largest loss first, then those without one
  double seconds = 0;          ///< median of the same rounds, of the whole schedule
  double rule_seconds = 0;     ///< the same of the schedule by rule; 0: it did not run
};

/// All are compiled with all optimization and judged; each round times every one once, in another
/// order. Errors: not_right (the tuned schedule itself), cancelled, those of the device.
Result<Ablation> ablate(Space const& space, KernelBench& bench, te::Expected const& expected,
                        Point const& tuned, AblationOptions const& options);

/// The same for steps that were left out of a schedule.
Result<StepAblation> ablate(Schedule const& whole, std::vector<LeftOut> steps,
                            Backend const& backend, KernelBench& bench,
                            te::Expected const& expected, AblationOptions const& options);

}  // namespace tw
