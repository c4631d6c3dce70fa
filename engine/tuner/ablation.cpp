#include "engine/tuner/ablation.h"

#include <algorithm>

namespace tw {
namespace {

struct Contender {
  SetBack* knob = nullptr;  ///< null: the tuned one
  KernelCode code;
  Samples rounds;
};

BenchOptions bench_options(AblationOptions const& options) {
  BenchOptions bench{.threads = options.threads, .timing = {}, .call = {}};
  bench.timing = {.warm_up = 1, .repeats = 1, .min_sample_seconds = 100e-6, .most_seconds = 1};
  bench.call.stop = options.stop;
  bench.call.timeout = std::chrono::seconds(20);
  return bench;
}

Result<Contender> contender(Candidate const& who, Space const& space, KernelBench& bench,
                            te::Expected const& expected, AblationOptions const& options) {
  TRY_ASSIGN(Candidate proven, space.proven(who));
  TRY_ASSIGN(KernelCode code, compile_kernel(proven.schedule.program(), space.backend(),
                                             CodeTier::kFull, options.stop));
  TRY_ASSIGN(std::vector<NDArray> outputs, bench.run(code, bench_options(options)));
  if (!te::judge(outputs, expected).equal) return refused("not_right", "its result is not right");
  return Contender{nullptr, std::move(code), {}};
}

/// One sample of each, in random order: what disturbs a round disturbs all.
Status run_round(std::vector<Contender>& all, KernelBench& bench, Rng& rng,
                 AblationOptions const& options) {
  std::vector<size_t> order(all.size());
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    std::swap(order[i], order[size_t(rng.below(int64_t(i) + 1))]);
  }
  for (size_t i : order) {
    TRY_ASSIGN(BenchResult measured, bench.measure(all[i].code, bench_options(options)));
    all[i].rounds.seconds.push_back(measured.samples.least());
  }
  return {};
}

double loss_of(Contender const& one, Contender const& tuned) {
  Samples ratios;
  for (size_t i = 0; i < one.rounds.seconds.size(); ++i)
    ratios.seconds.push_back(one.rounds.seconds[i] / tuned.rounds.seconds[i]);
  return ratios.median() - 1;
}

/// Fills `rule`, `candidate` and what is known of it without running it.
void describe(SetBack& one, Result<Candidate> made, Candidate const& tuned) {
  if (!made) {
    one.sentence = made.error().message;
    return;
  }
  for (Knob const& knob : made->knobs)
    if (knob.name == one.knob) one.rule = knob.value();
  if (made->rejection) {
    one.sentence = "the template does not make this point";
    return;
  }
  one.changes_nothing = made->schedule.script() == tuned.schedule.script();
  one.candidate = std::move(*made);
}

}  // namespace

Result<std::vector<SetBack>> set_backs(Space const& space, Point const& tuned) {
  TRY_ASSIGN(Candidate whole, space.at(tuned));
  if (whole.rejection) return refused("not_right", "the template does not make the tuned point");
  std::vector<SetBack> all;
  for (auto const& [name, value] : whole.point) {
    if (space.pinned().contains(name)) continue;
    Point point = whole.point;
    point.erase(name);
    SetBack& one = all.emplace_back(SetBack{.knob = name, .tuned = value});
    describe(one, space.at(std::move(point)), whole);
  }
  return all;
}

Result<Ablation> ablate(Space const& space, KernelBench& bench, te::Expected const& expected,
                        Point const& tuned, AblationOptions const& options) {
  Ablation result;
  TRY_ASSIGN(result.knobs, set_backs(space, tuned));
  TRY_ASSIGN(Candidate whole, space.at(tuned));
  std::vector<Contender> all;
  TRY_ASSIGN(Contender first, contender(whole, space, bench, expected, options));
  all.push_back(std::move(first));
  for (SetBack& one : result.knobs) {
    if (options.stop.stop_requested()) return refused("cancelled", "cancelled");
    if (one.changes_nothing) one.loss = 0;
    if (!one.candidate || one.changes_nothing) continue;
    auto made = contender(*one.candidate, space, bench, expected, options);
    if (!made) {
      one.sentence = made.error().message;
      continue;
    }
    made->knob = &one;
    all.push_back(std::move(*made));
  }
  Rng rng(options.seed);
  for (int round = 0; round < options.rounds; ++round) {
    if (options.stop.stop_requested()) return refused("cancelled", "cancelled");
    TRY(run_round(all, bench, rng, options));
  }
  for (Contender const& one : all)
    if (one.knob) one.knob->loss = loss_of(one, all[0]);
  result.tuned_seconds = all[0].rounds.median();
  std::ranges::stable_sort(result.knobs, std::ranges::greater(),
                           [](SetBack const& one) { return one.loss.value_or(-2); });
  return result;
}

}  // namespace tw
