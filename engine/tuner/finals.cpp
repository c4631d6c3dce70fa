#include "engine/tuner/finals.h"

#include <algorithm>
#include <chrono>
#include <span>

#include "engine/tuner/certainty.h"
#include "engine/tuner/failures.h"

namespace tw {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 15;
/// Of two alone: as many as fit the time, but enough to be certain of anything.
constexpr int kDuelRounds = 41, kLeastDuelRounds = 9;
constexpr double kDuelSeconds = 10;
constexpr int kDuels = 3;  // who is behind the third is no better than by luck

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

/// Nothing where it is not right any more: then it is no finalist. An error where the device, or
/// this machine, is why nobody knows.
Result<std::optional<Runner>> runner(Finalist who, Space const& space, KernelBench& bench,
                                     te::Expected const& expected, FinalsOptions const& options) {
  auto code = [&] {
    MachineTurns::Compiling turn(options.turns);
    return compile_kernel(who.candidate.schedule.program(), space.backend(), CodeTier::kFull,
                          options.stop);
  }();
  if (!code && failure_of_code(code.error()).owner == FailureOwner::kHere)
    return std::unexpected(code.error());
  if (!code) return std::optional<Runner>();
  auto outputs = bench.run(*code, bench_options(options));
  if (!outputs && failure_of_run(outputs.error()).owner == FailureOwner::kDevice)
    return std::unexpected(outputs.error());
  if (!outputs || !te::judge(*outputs, expected).equal) return std::optional<Runner>();
  return Runner{std::move(who), std::move(*code), {}};
}

/// One sample.
Result<double> timed(Runner const& runner, KernelBench& bench, FinalsOptions const& options) {
  TRY_ASSIGN(BenchResult measured, bench.measure(runner.code, bench_options(options)));
  std::string why = impossible_times(measured.samples.seconds);
  if (!why.empty()) return environment_failed("impossible_times", why);
  return measured.samples.least();
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
    TRY_ASSIGN(double seconds, timed(runners[i], bench, options));
    runners[i].rounds.seconds.push_back(seconds);
  }
  return {};
}

/// Of the rounds, to the first runner's.
std::vector<double> ratios_to(Runner const& runner, Runner const& rule) {
  std::vector<double> ratios;
  for (size_t i = 0; i < runner.rounds.seconds.size(); ++i)
    ratios.push_back(runner.rounds.seconds[i] / rule.rounds.seconds[i]);
  return ratios;
}
double against_rule(Runner const& runner, Runner const& rule) {
  return Samples{ratios_to(runner, rule)}.median();
}

/// The schedule by rule and those that are still right, which were proven.
Result<std::vector<Runner>> runners_of(Space const& space, KernelBench& bench,
                                       te::Expected const& expected, std::vector<Finalist> right,
                                       FinalsOptions const& options) {
  std::ranges::sort(right, {}, &Finalist::seconds);
  TRY_ASSIGN(Candidate baseline, space.baseline());
  Finalist by_rule{std::move(baseline), 0};
  std::erase_if(right, [&](Finalist const& one) { return one.script() == by_rule.script(); });
  if (right.size() > size_t(options.finalists))
    right.erase(right.begin() + options.finalists, right.end());
  std::vector<Runner> runners;
  TRY_ASSIGN(auto first, runner(std::move(by_rule), space, bench, expected, options));
  if (!first) return refused("nothing_ran", "the default schedule is wrong or did not run");
  runners.push_back(std::move(*first));
  for (Finalist& one : right) {
    auto proven = space.proven(one.candidate);
    if (!proven) continue;
    one.candidate = std::move(*proven);
    TRY_ASSIGN(auto another, runner(std::move(one), space, bench, expected, options));
    if (another) runners.push_back(std::move(*another));
  }
  return runners;
}

/// The two of it have rounds of their own afterwards.
Result<bool> wins(Runner& rule, Runner& other, KernelBench& bench, Rng& rng,
                  FinalsOptions const& options) {
  std::vector<Runner> pair;
  pair.push_back({std::move(rule.who), std::move(rule.code), {}});
  pair.push_back({std::move(other.who), std::move(other.code), {}});
  auto start = Clock::now();
  Status done;
  for (int round = 0; done && round < kDuelRounds && !options.stop.stop_requested(); ++round) {
    bool late = std::chrono::duration<double>(Clock::now() - start).count() > kDuelSeconds;
    if (late && round >= kLeastDuelRounds) break;
    done = run_round(pair, bench, rng, options);
  }
  rule = std::move(pair[0]);
  other = std::move(pair[1]);
  if (!done) return std::unexpected(done.error());
  return is_certainly_faster(ratios_to(other, rule));
}

/// What says the same in every round needs no other rounds.
bool is_exact(Runner const& one, Runner const& rule) {
  std::vector<double> ratios = ratios_to(one, rule);
  return std::ranges::min(ratios) == std::ranges::max(ratios);
}

FinalResult result_of(Runner const& best, Runner const& rule) {
  return {best.who, best.rounds.median(), rule.rounds.median()};
}

}  // namespace

Result<FinalResult> compare_finalists(Space const& space, KernelBench& bench,
                                      te::Expected const& expected, std::vector<Finalist> right,
                                      FinalsOptions const& options) {
  if (options.stop.stop_requested()) return refused("cancelled", "cancelled");
  TRY_ASSIGN(std::vector<Runner> runners,
             runners_of(space, bench, expected, std::move(right), options));
  Rng rng(options.seed);
  for (int round = 0; round < kRounds && !options.stop.stop_requested(); ++round)
    TRY(run_round(runners, bench, rng, options));
  Runner& rule = runners[0];
  if (options.stop.stop_requested()) return refused("cancelled", "cancelled");
  std::vector<std::pair<double, Runner*>> order;
  for (Runner& one : std::span(runners).subspan(1))
    order.push_back({against_rule(one, rule), &one});
  std::ranges::sort(order);
  for (size_t i = 0; i < order.size() && i < kDuels && order[i].first < 1; ++i) {
    Runner& one = *order[i].second;
    if (is_exact(one, rule)) return result_of(one, rule);
    TRY_ASSIGN(bool better, wins(rule, one, bench, rng, options));
    if (options.stop.stop_requested()) return refused("cancelled", "cancelled");
    if (better) return result_of(one, rule);
  }
  return result_of(rule, rule);
}

}  // namespace tw
