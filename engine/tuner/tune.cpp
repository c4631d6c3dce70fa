#include "engine/tuner/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "engine/measure/kernel_bench.h"
#include "engine/tuner/finals.h"
#include "engine/tuner/proposals.h"

namespace tw {
namespace {

using records::Outcome;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Outcome outcome_of(Error const& error) {
  if (error.code == "kernel_crashed") return Outcome::kCrash;
  if (error.code == "timed_out" || error.code == "kernel_timed_out") return Outcome::kTimeout;
  if (error.code == "device_lost") return Outcome::kDeviceLost;
  return Outcome::kCompileError;
}

/// One tuning from the first candidate to the last.
class Tuning {
public:
  Tuning(Space const& space, KernelBench& bench, te::Expected const& expected,
         TuneOptions const& options)
      : space_(space), bench_(bench), expected_(expected), options_(options) {}

  Status search(Search& search);
  Result<TuneResult> finish();

private:
  Attempt attempt(Compiled const& compiled);
  void keep(Attempt attempt, Candidate const& candidate);
  TuneEnd end_of(bool no_more) const;

  Space const& space_;
  KernelBench& bench_;
  te::Expected const& expected_;
  TuneOptions const& options_;
  TuneResult result_;
  std::vector<Finalist> right_;
};

Attempt Tuning::attempt(Compiled const& compiled) {
  Attempt attempt;
  attempt.number = int(result_.attempts.size()) + 1;
  attempt.point = compiled.candidate.point;
  attempt.script = compiled.candidate.schedule.script();
  auto failed = [&](Outcome outcome, std::string sentence) {
    attempt.outcome = outcome;
    attempt.sentence = std::move(sentence);
    return attempt;
  };
  if (!compiled.code) return failed(Outcome::kCompileError, compiled.code.error().message);
  BenchOptions bench{.threads = options_.threads, .timing = kTrialTiming, .call = {}};
  bench.call.stop = options_.stop;
  bench.call.timeout = std::chrono::seconds(10);
  auto measured = bench_.measure(*compiled.code, bench);
  if (!measured) return failed(outcome_of(measured.error()), to_sentence(measured.error()));
  Comparison worst = te::judge(measured->outputs, expected_);
  if (!worst.equal)
    return failed(Outcome::kWrong,
                  fmt::format("the largest difference is {:.3g}, the largest value {:.3g}",
                              worst.max_abs_diff, worst.max_abs_ref));
  attempt.seconds = measured->samples.seconds;
  return attempt;
}

void Tuning::keep(Attempt attempt, Candidate const& candidate) {
  double best = result_.attempts.empty() ? 0 : result_.attempts.back().best_seconds;
  if (attempt.outcome == Outcome::kOk) {
    double least = std::ranges::min(attempt.seconds);
    best = best > 0 ? std::min(best, least) : least;
    right_.push_back({candidate.point, attempt.script, candidate.schedule.program(), least});
  }
  attempt.best_seconds = best;
  result_.attempts.push_back(std::move(attempt));
  if (options_.on_attempt) options_.on_attempt(result_.attempts.back());
}

TuneEnd Tuning::end_of(bool no_more) const {
  if (options_.stop.stop_requested()) return TuneEnd::kStopped;
  if (int(result_.attempts.size()) >= options_.trials) return TuneEnd::kTrials;
  return no_more ? TuneEnd::kConverged : TuneEnd::kSeconds;
}

Status Tuning::search(Search& search) {
  auto start = Clock::now();
  Proposals proposals(space_, search, options_);
  bool no_more = false;
  while (!options_.stop.stop_requested() &&
         (options_.seconds <= 0 || since(start) < options_.seconds)) {
    TRY_ASSIGN(std::optional<Compiled> compiled, proposals.next());
    if (!compiled) {
      no_more = true;
      break;
    }
    Attempt made = attempt(*compiled);
    if (options_.stop.stop_requested()) break;
    std::optional<double> seconds;
    if (made.outcome == Outcome::kOk) seconds = std::ranges::min(made.seconds);
    keep(std::move(made), compiled->candidate);
    proposals.tell(compiled->candidate, seconds);
  }
  result_.wall_seconds = since(start);
  result_.rejected = proposals.rejected();
  result_.repeated = proposals.repeated();
  result_.end = end_of(no_more);
  return {};
}

Result<TuneResult> Tuning::finish() {
  TRY_ASSIGN(result_.space_size, space_.size());
  TRY_ASSIGN(Candidate rule, space_.by_rule());
  FinalsOptions finals{options_.threads, options_.seed, options_.stop};
  Finalist by_rule{rule.point, rule.schedule.script(), rule.schedule.program(), 0};
  TRY_ASSIGN(FinalResult final,
             compare_finalists(space_.backend(), bench_, expected_, by_rule, right_, finals));
  result_.script = final.best.script;
  result_.point = final.best.point;
  result_.seconds = final.best_seconds;
  result_.rule_seconds = final.rule_seconds;
  return std::move(result_);
}

}  // namespace

std::string_view name_of(TuneEnd end) {
  constexpr std::string_view kNames[] = {"trials", "seconds", "converged", "stopped"};
  return kNames[size_t(end)];
}

Result<TuneResult> tune(Space const& space, Device& device, std::vector<NDArray> inputs,
                        te::Expected const& expected, TuneOptions const& options) {
  TRY_ASSIGN(SearchRow row, find_search(options.search));
  TRY(space.by_rule());  // pinned knobs are checked by it
  std::unique_ptr<Search> search = row.make(space, options.seed);
  KernelBench bench(device, space.program(), std::move(inputs));
  Tuning tuning(space, bench, expected, options);
  TRY(tuning.search(*search));
  return tuning.finish();
}

}  // namespace tw
