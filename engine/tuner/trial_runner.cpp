#include "engine/tuner/trial_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "engine/device/requests/status.h"
#include "engine/tuner/finals.h"

namespace tw {
namespace {

using records::Outcome;
using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

constexpr int kAgain = 2;            // what was measured slowly
constexpr double kShortTrip = 1e-3;  // seconds
constexpr int kMostInOneCall = 8;    // what is proposed later knows more

/// An older device, or one that has no room for the limits beside the tensors.
bool goes_in_calls(Error const& error) {
  return error.code == "unknown_request" || error.code == "tensor_too_large";
}

/// A burst that was interrupted says nothing; the others do.
double best_of(std::vector<double> const& speed) {
  return speed.empty() ? 0 : std::ranges::max(speed);
}

Trouble trouble_of(Error const& error) {
  Failure failure = failure_of_run(error);
  return {failure.outcome, to_sentence(error), false, failure.owner, error.code};
}

/// Of a device that says what cannot be.
std::optional<Trouble> doubtful(TrialSamples const& measured) {
  std::string why = impossible_times(measured.seconds);
  if (why.empty()) return {};
  return trouble_of({"impossible_times", std::move(why), {}, Fault::kEnvironment});
}

}  // namespace

std::optional<Trouble> TrialRunner::judged(std::vector<NDArray> const& outputs) {
  auto start = Clock::now();
  Comparison worst = te::judge(outputs, expected_);
  costs_.comparing += seconds_since(start);
  if (worst.equal) return {};
  return Trouble{Outcome::kWrong,
                 fmt::format("the largest difference is {:.3g}, the largest value {:.3g}",
                             worst.max_abs_diff, worst.max_abs_ref)};
}

std::expected<TrialSamples, Trouble> TrialRunner::measured_in_calls(KernelCode const& code,
                                                                    BenchOptions const& bench) {
  judged_here_ = true;
  auto start = Clock::now();
  auto measured = bench_.measure(code, bench);
  costs_.running += seconds_since(start);
  if (!measured) return std::unexpected(trouble_of(measured.error()));
  if (auto wrong = judged(measured->outputs)) return std::unexpected(std::move(*wrong));
  return TrialSamples{std::move(measured->samples.seconds), best_of(measured->speed)};
}

BenchOptions TrialRunner::options(double incumbent) const {
  BenchOptions bench{.threads = threads_, .timing = kTrialTiming, .call = {}};
  bench.timing.incumbent_seconds = incumbent;
  bench.call.stop = stop_;
  bench.call.timeout = std::chrono::seconds(10);
  return bench;
}

std::expected<TrialSamples, Trouble> TrialRunner::measured(KernelCode const& code,
                                                           double incumbent) {
  MachineTurns::Measuring turn(shares_.turns);
  BenchOptions bench = options(incumbent);
  if (!in_one_call_) return measured_in_calls(code, bench);
  judged_here_ = false;
  auto start = Clock::now();
  bench.timing.warm_up = 0;  // it ran once when it was judged
  auto answer = bench_.attempt(code, limits_, bench);
  trial_seconds_ = seconds_since(start);
  costs_.running += trial_seconds_;
  if (!answer && goes_in_calls(answer.error())) {
    in_one_call_ = false;
    return measured_in_calls(code, options(incumbent));
  }
  if (!answer) return std::unexpected(trouble_of(answer.error()));
  if (answer->wrong_output < 0)
    return TrialSamples{std::move(answer->samples.seconds), best_of(answer->speed)};
  // The judge here says by how much, and has the last word.
  if (auto wrong = wrong_after_all()) return std::unexpected(std::move(*wrong));
  return measured_in_calls(code, bench);
}

std::expected<TrialSamples, Trouble> TrialRunner::tried(KernelCode const& code, double incumbent) {
  DeviceSpeed& speed = shares_.speed;
  if (round_trip_ == 0) {
    speed.judge(speed_now());
    round_trip_ = std::max(round_trip_, 1e-9);  // asked once, whatever came
  }
  for (int again = 0;; ++again) {
    auto measured = this->measured(code, incumbent / speed.scale());
    if (!measured) return measured;
    if (auto doubt = doubtful(*measured)) return std::unexpected(std::move(*doubt));
    auto verdict = speed.judge(measured->speed);
    if (verdict == DeviceSpeed::Verdict::kGood) {
      for (double& seconds : measured->seconds) seconds *= speed.scale();
      return measured;
    }
    if (verdict == DeviceSpeed::Verdict::kSlow && again >= kAgain)
      return std::unexpected(
          Trouble{Outcome::kDeviceLost, speed.sentence(), true, FailureOwner::kDevice});
  }
}

int TrialRunner::worth_one_call() const {
  if (!in_one_call_ || !several_ || round_trip_ < kShortTrip || trial_seconds_ == 0) return 1;
  double there = std::max(trial_seconds_ - round_trip_, kShortTrip);
  return std::clamp(1 + int(4 * round_trip_ / there), 1, kMostInOneCall);
}

void TrialRunner::tried_each(std::span<KernelCode const* const> codes, double incumbent,
                             std::function<void(size_t, TrialSamples)> const& on_samples) {
  MachineTurns::Measuring turn(shares_.turns);
  DeviceSpeed& speed = shares_.speed;
  double scale = speed.scale();
  BenchOptions bench = options(incumbent / scale);
  bench.timing.warm_up = 0;
  bench.call.timeout *= int(codes.size());
  size_t next = 0;
  auto start = Clock::now();
  judged_here_ = true;  // what the last one leaves is of no use
  Status done = bench_.attempt_each(codes, limits_, bench, [&](Result<TrialAnswer> const& answer) {
    size_t which = next++;
    if (!answer || answer->wrong_output >= 0) return;
    TrialSamples measured{answer->samples.seconds, best_of(answer->speed)};
    if (doubtful(measured) || speed.judge(measured.speed) != DeviceSpeed::Verdict::kGood) return;
    for (double& seconds : measured.seconds) seconds *= scale;
    // Who is best is proven and judged here, too.
    if (incumbent <= 0 || std::ranges::min(measured.seconds) < incumbent) return;
    on_samples(which, std::move(measured));
  });
  costs_.running += seconds_since(start);
  if (!done && (done.error().code == "unknown_request" || done.error().code == "library_too_large"))
    several_ = false;
}

std::optional<Trouble> TrialRunner::wrong_after_all() {
  if (judged_here_) return {};
  auto outputs = bench_.outputs({.stop = stop_});
  if (!outputs) return trouble_of(outputs.error());
  return judged(*outputs);
}

/// 0: it does not answer, or does not say.
double TrialRunner::speed_now() {
  auto start = Clock::now();
  auto status = ask_status(device_, {.stop = stop_, .timeout = std::chrono::seconds(2)});
  if (status) round_trip_ = seconds_since(start);
  return status ? status->speed : 0;
}

bool TrialRunner::is_back() {
  CallOptions call{.stop = stop_, .timeout = std::chrono::seconds(2)};
  if (!device_.describe(call)) return false;
  return shares_.speed.judge(speed_now()) != DeviceSpeed::Verdict::kSlow;
}

void TrialRunner::settle(KernelCode const& code, double seconds) {
  auto measured = this->measured(code, 0);
  if (measured && !doubtful(*measured) && measured->speed > 0)
    shares_.speed.settle(measured->speed, seconds / std::ranges::min(measured->seconds));
}

Result<std::vector<Limits>> limits_of(te::Expected const& expected, ir::Program const& program) {
  std::vector<Limits> limits;
  for (size_t i = 0; i < expected.size() && i < program.outputs.size(); ++i) {
    TRY_ASSIGN(Limits one, te::limits_of(expected[i], program.outputs[i]->type));
    limits.push_back(std::move(one));
  }
  return limits;
}

}  // namespace tw
