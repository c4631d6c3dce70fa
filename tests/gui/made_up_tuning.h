/// Searches that nobody ran, for what shows them.
#pragma once

#include <cmath>
#include <memory>

#include "engine/session/tuning.h"
#include "engine/session/values.h"

namespace tw {

/// What a search made of a knob: nothing where that is what the rule takes.
inline void name_knob(session::TuningTrial& trial, char const* knob, int value, int by_rule) {
  if (value != by_rule) trial.knobs.emplace_back(knob, std::to_string(value));
}

/// A search that finds something better now and then, and fails at every seventh. The schedule by
/// rule is tried first; the other trials name the knobs that differ from it, and no others.
inline std::shared_ptr<session::TuningRun> made_up(int number, char const* search, int trials,
                                                   double first_ms) {
  auto run = std::make_shared<session::TuningRun>();
  run->number = number;
  run->row = 0;
  run->kernel = "conv2d_64x56x56";
  run->search = search;
  run->device = "local";
  run->state = session::TuningState::kRunning;
  run->budget = 512;
  run->trials_a_second = 38;
  run->seconds_left = 3;
  double best = 0;
  for (int i = 1; i <= trials; ++i) {
    auto trial = std::make_shared<session::TuningTrial>();
    trial->number = i;
    trial->predicted_ms = first_ms * (0.4 + 0.6 * std::exp(-i / 70.0));
    if (i > 1) {
      name_knob(*trial, "conv2d.oc.i", 8 << i / 4 % 3, 16);
      name_knob(*trial, "conv2d.ow.i", 4 << i % 4, 16);
      if (i % 3 == 0) trial->knobs.emplace_back("conv2d.unroll", "kh kw");
    }
    if (i % 7 == 0) {
      trial->outcome = i % 2 ? session::TrialClass::kTimeout : session::TrialClass::kCompileError;
    } else {
      double noise = 1 + 0.8 * ((i * i * 37 + number * 11) % 101) / 101.0;
      trial->ms = first_ms * (0.32 + 0.68 * std::exp(-i / 60.0)) * noise;
      best = best > 0 ? std::min(best, trial->ms) : trial->ms;
    }
    trial->best_ms = best;
    run->trials.push_back(trial);
  }
  return run;
}

inline session::Snapshot snapshot_of(std::vector<std::shared_ptr<session::TuningRun const>> runs) {
  session::Snapshot now;
  session::KernelRow row;
  row.name = "conv2d_64x56x56";
  row.flops = 231'000'000;
  row.bytes = 1'800'000;
  row.roof = session::KernelRoofView{.ms = 0.8, .value = 288, .unit = "GFLOP/s"};
  now.kernels = std::make_shared<session::KernelTable const>(session::KernelTable{{row}, {}});
  now.kernel = 0;
  if (!runs.empty())
    now.tuning = std::make_shared<session::TuningView const>(session::TuningView{std::move(runs)});
  return now;
}

}  // namespace tw
