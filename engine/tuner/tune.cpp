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

/// Why a candidate has no time.
struct Trouble {
  Outcome outcome = Outcome::kOk;
  std::string sentence;
};
Trouble trouble_of(Error const& error) { return {outcome_of(error), to_sentence(error)}; }

class Tuning final : public KernelTuning {
public:
  Tuning(Space space, Device& device, std::vector<NDArray> inputs, te::Expected expected,
         TuneOptions options)
      : space_(std::move(space)),
        bench_(device, space_.program(), std::move(inputs)),
        expected_(std::move(expected)),
        options_(std::move(options)) {}

  Status begin();
  Result<TuneEnd> search(int trials, double seconds) override;
  double best_seconds() const override;
  double rule_seconds() const override { return rule_seconds_; }
  int trials() const override { return int(result_.attempts.size()); }
  Result<TuneResult> finish(int finalists) override;

private:
  Attempt attempt(Compiled const& compiled);
  /// Samples, or what became of it.
  std::expected<std::vector<double>, Trouble> tried(KernelCode const& code);
  std::expected<std::vector<double>, Trouble> tried_in_calls(KernelCode const& code,
                                                             BenchOptions const& bench);
  std::optional<Trouble> judged(std::vector<NDArray> const& outputs);
  void keep(Attempt attempt, Candidate const& candidate);
  void keep_right(Candidate const& candidate, double seconds);
  Status take_known();

  Space space_;
  KernelBench bench_;
  te::Expected expected_;
  std::vector<Limits> limits_;  ///< the same for the device, made once
  bool in_one_call_ = true;     ///< as far as is known, the device can
  TuneOptions options_;
  TuneResult result_;
  double rule_seconds_ = 0;
  std::vector<Finalist> right_;  ///< the best, sorted
  std::unique_ptr<Search> search_;
  std::unique_ptr<Proposals> proposals_;  ///< reads all of the above but `right_`
};

/// What was known is as if it had been measured now; the last comparison measures the best again.
Status Tuning::take_known() {
  std::vector<Candidate> known;
  for (KnownTrial const& trial : options_.known) {
    TRY_ASSIGN(Candidate candidate, space_.at(trial.point));
    search_->tell(candidate, trial.seconds);
    if (trial.seconds) keep_right(candidate, *trial.seconds);
    known.push_back(std::move(candidate));
  }
  proposals_ = std::make_unique<Proposals>(space_, *search_, options_, known);
  return {};
}

Status Tuning::begin() {
  for (size_t i = 0; i < expected_.size(); ++i) {
    TRY_ASSIGN(Limits limits, te::limits_of(expected_[i], space_.program().outputs[i]->type));
    limits_.push_back(std::move(limits));
  }
  TRY(space_.by_rule());  // pinned knobs are checked by it
  TRY_ASSIGN(SearchRow row, find_search(options_.search));
  search_ = row.make(space_, options_.seed);
  return take_known();
}

std::optional<Trouble> Tuning::judged(std::vector<NDArray> const& outputs) {
  auto start = Clock::now();
  Comparison worst = te::judge(outputs, expected_);
  result_.costs.comparing += since(start);
  if (worst.equal) return {};
  return Trouble{Outcome::kWrong,
                 fmt::format("the largest difference is {:.3g}, the largest value {:.3g}",
                             worst.max_abs_diff, worst.max_abs_ref)};
}

std::expected<std::vector<double>, Trouble> Tuning::tried_in_calls(KernelCode const& code,
                                                                   BenchOptions const& bench) {
  auto start = Clock::now();
  auto measured = bench_.measure(code, bench);
  result_.costs.running += since(start);
  if (!measured) return std::unexpected(trouble_of(measured.error()));
  if (auto wrong = judged(measured->outputs)) return std::unexpected(std::move(*wrong));
  return std::move(measured->samples.seconds);
}

std::expected<std::vector<double>, Trouble> Tuning::tried(KernelCode const& code) {
  BenchOptions bench{.threads = options_.threads, .timing = kTrialTiming, .call = {}};
  bench.timing.incumbent_seconds = best_seconds();
  bench.call.stop = options_.stop;
  bench.call.timeout = std::chrono::seconds(10);
  if (!in_one_call_) return tried_in_calls(code, bench);
  auto start = Clock::now();
  bench.timing.warm_up = 0;  // it ran once when it was judged
  auto answer = bench_.attempt(code, limits_, bench);
  result_.costs.running += since(start);
  if (!answer && answer.error().code == "unknown_request") {
    in_one_call_ = false;
    return tried(code);
  }
  if (!answer) return std::unexpected(trouble_of(answer.error()));
  if (answer->wrong_output < 0) return std::move(answer->samples.seconds);
  // The judge here says by how much, and has the last word.
  auto outputs = bench_.outputs(bench.call);
  if (!outputs) return std::unexpected(trouble_of(outputs.error()));
  if (auto wrong = judged(*outputs)) return std::unexpected(std::move(*wrong));
  return tried_in_calls(code, bench);
}

Attempt Tuning::attempt(Compiled const& compiled) {
  Attempt attempt;
  attempt.number = int(result_.attempts.size()) + 1;
  attempt.point = compiled.candidate.point;
  attempt.script = compiled.candidate.schedule.script();
  attempt.predicted_seconds = compiled.candidate.predicted_seconds;
  auto samples =
      compiled.code
          ? tried(*compiled.code)
          : std::unexpected(Trouble{Outcome::kCompileError, compiled.code.error().message});
  // What others are compared with was proven.
  if (samples && (right_.empty() || std::ranges::min(*samples) < best_seconds()))
    if (auto proven = space_.proven(compiled.candidate); !proven)
      samples = std::unexpected(Trouble{Outcome::kInvalid, to_sentence(proven.error())});
  if (samples) {
    attempt.seconds = std::move(*samples);
  } else {
    attempt.outcome = samples.error().outcome;
    attempt.sentence = std::move(samples.error().sentence);
  }
  return attempt;
}

double Tuning::best_seconds() const { return right_.empty() ? 0 : right_.front().seconds; }

void Tuning::keep_right(Candidate const& candidate, double seconds) {
  if (candidate.point.empty()) rule_seconds_ = seconds;
  Finalist one{candidate, seconds};
  right_.insert(std::ranges::upper_bound(right_, seconds, {}, &Finalist::seconds), std::move(one));
  // The schedule by rule may be one of them. Programs are large: no other one is kept.
  if (right_.size() > kFinalists + 1) right_.pop_back();
}

void Tuning::keep(Attempt attempt, Candidate const& candidate) {
  if (attempt.outcome == Outcome::kOk) keep_right(candidate, std::ranges::min(attempt.seconds));
  attempt.best_seconds = best_seconds();
  result_.attempts.push_back(std::move(attempt));
  if (options_.on_attempt) options_.on_attempt(result_.attempts.back());
}

Result<TuneEnd> Tuning::search(int trials, double seconds) {
  auto start = Clock::now();
  int last = std::min(options_.trials, this->trials() + trials);
  TuneEnd end = TuneEnd::kTrials;
  while (this->trials() < last) {
    if (seconds > 0 && since(start) >= seconds) {
      end = TuneEnd::kSeconds;
      break;
    }
    auto asked = Clock::now();
    TRY_ASSIGN(std::optional<Compiled> compiled, proposals_->next());
    result_.costs.waiting += since(asked);
    if (!compiled) {
      end = TuneEnd::kConverged;
      break;
    }
    Attempt made = attempt(*compiled);
    if (options_.stop.stop_requested()) break;
    std::optional<double> took;
    if (made.outcome == Outcome::kOk) took = std::ranges::min(made.seconds);
    keep(std::move(made), compiled->candidate);
    proposals_->tell(compiled->candidate, took);
  }
  if (options_.stop.stop_requested()) end = TuneEnd::kStopped;
  result_.wall_seconds += since(start);
  result_.end = end;
  return end;
}

Result<TuneResult> Tuning::finish(int finalists) {
  result_.rejected = proposals_->rejected();
  result_.repeated = proposals_->repeated();
  result_.costs.proposing = proposals_->costs().proposing;
  result_.costs.compiling = proposals_->costs().compiling;
  proposals_.reset();
  TRY_ASSIGN(result_.space_size, space_.size());
  FinalsOptions finals{options_.threads, options_.seed, finalists, options_.stop};
  TRY_ASSIGN(FinalResult final,
             compare_finalists(space_, bench_, expected_, std::move(right_), finals));
  result_.script = final.best.script();
  result_.point = final.best.candidate.point;
  result_.seconds = final.best_seconds;
  result_.rule_seconds = final.rule_seconds;
  return std::move(result_);
}

}  // namespace

std::string_view name_of(TuneEnd end) {
  constexpr std::string_view kNames[] = {"trials", "seconds", "converged", "stopped"};
  return kNames[size_t(end)];
}

Result<std::unique_ptr<KernelTuning>> KernelTuning::create(Space space, Device& device,
                                                           std::vector<NDArray> inputs,
                                                           te::Expected expected,
                                                           TuneOptions options) {
  auto tuning = std::make_unique<Tuning>(std::move(space), device, std::move(inputs),
                                         std::move(expected), std::move(options));
  TRY(tuning->begin());
  return tuning;
}

Result<TuneResult> tune(Space const& space, Device& device, std::vector<NDArray> inputs,
                        te::Expected const& expected, TuneOptions const& options) {
  TRY_ASSIGN(std::unique_ptr<KernelTuning> tuning,
             KernelTuning::create(space, device, std::move(inputs), expected, options));
  TRY(tuning->search(options.trials, options.seconds));
  return tuning->finish();
}

}  // namespace tw
