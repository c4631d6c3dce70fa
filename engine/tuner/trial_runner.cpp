#include "engine/tuner/trial_runner.h"

#include <fmt/format.h>

#include <chrono>

#include "engine/tuner/finals.h"

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
  for (char const* lost : {"device_lost", "device_unavailable", "device_timed_out"})
    if (error.code == lost) return Outcome::kDeviceLost;
  return Outcome::kCompileError;
}

/// An older device, or one that has no room for the limits beside the tensors.
bool goes_in_calls(Error const& error) {
  return error.code == "unknown_request" || error.code == "tensor_too_large";
}

Trouble trouble_of(Error const& error) { return {outcome_of(error), to_sentence(error)}; }

}  // namespace

std::optional<Trouble> TrialRunner::judged(std::vector<NDArray> const& outputs) {
  auto start = Clock::now();
  Comparison worst = te::judge(outputs, expected_);
  costs_.comparing += since(start);
  if (worst.equal) return {};
  return Trouble{Outcome::kWrong,
                 fmt::format("the largest difference is {:.3g}, the largest value {:.3g}",
                             worst.max_abs_diff, worst.max_abs_ref)};
}

std::expected<std::vector<double>, Trouble> TrialRunner::tried_in_calls(KernelCode const& code,
                                                                        BenchOptions const& bench) {
  judged_here_ = true;
  auto start = Clock::now();
  auto measured = bench_.measure(code, bench);
  costs_.running += since(start);
  if (!measured) return std::unexpected(trouble_of(measured.error()));
  if (auto wrong = judged(measured->outputs)) return std::unexpected(std::move(*wrong));
  return std::move(measured->samples.seconds);
}

std::expected<std::vector<double>, Trouble> TrialRunner::tried(KernelCode const& code,
                                                               double incumbent) {
  BenchOptions bench{.threads = threads_, .timing = kTrialTiming, .call = {}};
  bench.timing.incumbent_seconds = incumbent;
  bench.call.stop = stop_;
  bench.call.timeout = std::chrono::seconds(10);
  if (!in_one_call_) return tried_in_calls(code, bench);
  judged_here_ = false;
  auto start = Clock::now();
  bench.timing.warm_up = 0;  // it ran once when it was judged
  auto answer = bench_.attempt(code, limits_, bench);
  costs_.running += since(start);
  if (!answer && goes_in_calls(answer.error())) {
    in_one_call_ = false;
    return tried(code, incumbent);
  }
  if (!answer) return std::unexpected(trouble_of(answer.error()));
  if (answer->wrong_output < 0) return std::move(answer->samples.seconds);
  // The judge here says by how much, and has the last word.
  if (auto wrong = wrong_after_all()) return std::unexpected(std::move(*wrong));
  return tried_in_calls(code, bench);
}

std::optional<Trouble> TrialRunner::wrong_after_all() {
  if (judged_here_) return {};
  auto outputs = bench_.outputs({.stop = stop_});
  if (!outputs) return trouble_of(outputs.error());
  return judged(*outputs);
}

bool TrialRunner::answers() {
  CallOptions call{.stop = stop_, .timeout = std::chrono::seconds(2)};
  return device_.describe(call).has_value();
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
