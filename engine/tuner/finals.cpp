#include "engine/tuner/finals.h"

#include <algorithm>

namespace tw {
namespace {

constexpr int kRounds = 15;

struct Runner {
  Finalist who;
  KernelCode code;
  Samples rounds;  ///< one of each
};

BenchOptions bench_options(FinalsOptions const& options) {
  BenchOptions bench{.threads = options.threads, .timing = {}, .call = {}};
  bench.timing = {.warm_up = 1, .repeats = 1, .min_sample_seconds = 100e-6, .most_seconds = 1};
  bench.call.stop = options.stop;
  bench.call.timeout = std::chrono::seconds(20);
  return bench;
}

/// Nothing where it is not right any more: then it is no finalist.
std::optional<Runner> runner(Finalist who, Space const& space, KernelBench& bench,
                             te::Expected const& expected, FinalsOptions const& options) {
  auto code = [&] {
    MachineTurns::Compiling turn(options.turns);
    return compile_kernel(who.candidate.schedule.program(), space.backend(), CodeTier::kFull,
                          options.stop);
  }();
  if (!code) return std::nullopt;
  auto outputs = bench.run(*code, bench_options(options));
  if (!outputs || !te::judge(*outputs, expected).equal) return std::nullopt;
  return Runner{std::move(who), std::move(*code), {}};
}

/// One sample of each, in random order: what disturbs a round disturbs all.
Status run_round(std::vector<Runner>& runners, KernelBench& bench, Rng& rng,
                 FinalsOptions const& options) {
  std::vector<size_t> order(runners.size());
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    std::swap(order[i], order[size_t(rng.below(int64_t(i) + 1))]);
  }
  for (size_t i : order) {
    TRY_ASSIGN(BenchResult measured, bench.measure(runners[i].code, bench_options(options)));
    runners[i].rounds.seconds.push_back(measured.samples.least());
  }
  return {};
}

/// The median of the rounds' ratios to the first runner.
double against_rule(Runner const& runner, Runner const& rule) {
  Samples ratios;
  for (size_t i = 0; i < runner.rounds.seconds.size(); ++i)
    ratios.seconds.push_back(runner.rounds.seconds[i] / rule.rounds.seconds[i]);
  return ratios.median();
}

}  // namespace

Result<FinalResult> compare_finalists(Space const& space, KernelBench& bench,
                                      te::Expected const& expected, std::vector<Finalist> right,
                                      FinalsOptions const& options) {
  if (options.stop.stop_requested()) return refused("cancelled", "cancelled");
  std::ranges::sort(right, {}, &Finalist::seconds);
  TRY_ASSIGN(Candidate baseline, space.baseline());
  Finalist by_rule{std::move(baseline), 0};
  std::erase_if(right, [&](Finalist const& one) { return one.script() == by_rule.script(); });
  if (right.size() > size_t(options.finalists))
    right.erase(right.begin() + options.finalists, right.end());
  std::vector<Runner> runners;
  auto first = runner(std::move(by_rule), space, bench, expected, options);
  if (!first) return refused("nothing_ran", "the schedule by rule is not right or did not run");
  runners.push_back(std::move(*first));
  for (Finalist& one : right) {
    auto proven = space.proven(one.candidate);
    if (!proven) continue;
    one.candidate = std::move(*proven);
    if (auto another = runner(std::move(one), space, bench, expected, options))
      runners.push_back(std::move(*another));
  }
  Rng rng(options.seed);
  for (int round = 0; round < kRounds && !options.stop.stop_requested(); ++round)
    TRY(run_round(runners, bench, rng, options));
  if (runners[0].rounds.seconds.empty()) return refused("cancelled", "cancelled");
  auto best = std::ranges::min_element(
      runners, {}, [&](Runner const& one) { return against_rule(one, runners[0]); });
  // Both must say so: where they do not agree, nothing was found.
  if (best->rounds.median() >= runners[0].rounds.median()) best = runners.begin();
  return FinalResult{best->who, best->rounds.median(), runners[0].rounds.median()};
}

}  // namespace tw
