/// Trials for tests: each number gives another one, always the same.
#pragma once

#include <QTemporaryDir>
#include <vector>

#include "engine/records/trial_store.h"
#include "engine/support/base/random.h"

namespace tw::testing {

inline records::Trial some_trial(uint64_t number) {
  using namespace records;
  Rng rng(number + 1);
  Trial trial;
  trial.task = 0xFEDCBA9876543210ull + number % 7;
  trial.task_name = "conv" + std::to_string(number % 7);
  trial.program = "kernel " + trial.task_name + "\n" + std::string(400, 'p');
  trial.trace = "split i " + std::to_string(rng.below(64)) + "\nvectorize i_inner # \"µ\", \\";
  trial.knobs = {{"factor", std::to_string(rng.below(64))}, {"number", std::to_string(number)}};
  trial.target = "cpu";
  trial.target_title = "cpu, AVX-512";
  trial.device = number % 3 == 0 ? "board" : "local";
  trial.machine = "EPYC 9354, 2 cores";
  trial.build = "0.1.0";
  trial.seed = rng.next();
  trial.threads = int(number % 4);
  trial.outcome = Outcome(number % 7);
  trial.probe_rate = 1e9 * rng.uniform();
  trial.modelled_seconds = 1e-3 * rng.uniform();
  trial.unix_time = 1.7e9 + double(number) / 3;
  trial.job = number % 2 ? "job" : "";
  if (trial.outcome != Outcome::kOk) trial.failure = "it failed, said \"number\" " + trial.job;
  if (trial.outcome == Outcome::kOk || trial.outcome == Outcome::kWrong)
    for (int i = 0; i < 5; ++i) trial.samples.push_back(1e-6 * (1 + rng.uniform()));
  return trial;
}

inline std::vector<records::Trial> some_trials(uint64_t first, uint64_t count) {
  std::vector<records::Trial> trials;
  for (uint64_t i = first; i < first + count; ++i) trials.push_back(some_trial(i));
  return trials;
}

}  // namespace tw::testing
