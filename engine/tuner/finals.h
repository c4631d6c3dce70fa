/// The last comparison of a tuning: a trial's few samples, of code that was made quickly, only say
/// who is among the best.
#pragma once

#include "engine/measure/kernel_bench.h"
#include "engine/te/expected.h"
#include "engine/tuner/machine_turns.h"
#include "engine/tuner/space.h"

namespace tw {

/// Of a trial: the least of few short samples varies by less than a hundredth, their mean by more.
inline constexpr TimingOptions kTrialTiming{
    .warm_up = 1, .repeats = 3, .min_sample_seconds = 50e-6, .most_seconds = 0.3};

struct Finalist {
  Candidate candidate;
  double seconds = 0;  ///< least, of its trial
  std::string script() const { return candidate.schedule.script(); }
};
struct FinalsOptions {
  int threads = 1;
  uint64_t seed = 1;
  int finalists = 8;              ///< besides the schedule by rule
  MachineTurns* turns = nullptr;  ///< of what compiles here; null: it takes none
  StopToken stop;
};
struct FinalResult {
  Finalist best;
  double best_seconds = 0, rule_seconds = 0;  ///< medians of the same rounds
};

/// The best of `right` and the schedule by rule, every step of them proven, compiled with all
/// optimization, judged once more and timed in rounds, in each in another order. Who has the lowest
/// of several noisy medians is lucky, too: the first ones then meet the schedule by rule in rounds
/// of their own, which alone count, and win where it is certain that they gain something
/// (certainty.h). Errors: nothing_ran (the schedule by rule was not right), those of the device.
Result<FinalResult> compare_finalists(Space const& space, KernelBench& bench,
                                      te::Expected const& expected, std::vector<Finalist> right,
                                      FinalsOptions const& options);

}  // namespace tw
