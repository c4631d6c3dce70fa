/// What carries the gain of a tuned schedule: each of its knobs set back to the rule's value, one
/// at a time, timed beside it.
#pragma once

#include "engine/measure/kernel_bench.h"
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

struct AblationOptions {
  int threads = 1;
  uint64_t seed = 1;
  int rounds = 15;
  StopToken stop;
};
struct Ablation {
  std::vector<SetBack> knobs;  ///< the largest loss first, then those without one
  double tuned_seconds = 0;    ///< median of the same rounds
};

/// All are compiled with all optimization and judged; each round times every one once, in another
/// order. Errors: not_right (the tuned schedule itself), cancelled, those of the device.
Result<Ablation> ablate(Space const& space, KernelBench& bench, te::Expected const& expected,
                        Point const& tuned, AblationOptions const& options);

}  // namespace tw
