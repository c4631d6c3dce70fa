/// Candidates on one device: run, judged, timed.
#pragma once

#include "engine/measure/kernel_bench.h"
#include "engine/records/trial.h"
#include "engine/te/expected.h"

namespace tw {

/// Why a candidate has no time.
struct Trouble {
  records::Outcome outcome = records::Outcome::kOk;
  std::string sentence;
};

struct RunnerCosts {
  double running = 0;    ///< seconds, on the device
  double comparing = 0;  ///< of outputs here
};

/// Used by one thread at a time.
class TrialRunner {
public:
  /// `expected` outlives it.
  TrialRunner(Device& device, ir::Program const& program, std::vector<NDArray> inputs,
              te::Expected const& expected, std::vector<Limits> limits, int threads, StopToken stop)
      : device_(device),
        bench_(device, program, std::move(inputs)),
        expected_(expected),
        limits_(std::move(limits)),
        threads_(threads),
        stop_(std::move(stop)) {}

  /// Samples of what is right. Judged on the device where that can do it, and in one call.
  /// `incumbent`: seconds of the best that is known, 0: none; what is clearly slower gets fewer
  /// samples.
  std::expected<std::vector<double>, Trouble> tried(KernelCode const& code, double incumbent);
  /// Whether what the last one left here is right, whoever judged it before; nothing: it is.
  std::optional<Trouble> wrong_after_all();
  /// Whether the device answers.
  bool answers();

  KernelBench& bench() { return bench_; }
  RunnerCosts const& costs() const { return costs_; }

private:
  std::expected<std::vector<double>, Trouble> tried_in_calls(KernelCode const& code,
                                                             BenchOptions const& bench);
  std::optional<Trouble> judged(std::vector<NDArray> const& outputs);

  Device& device_;
  KernelBench bench_;
  te::Expected const& expected_;
  std::vector<Limits> limits_;
  int threads_;
  StopToken stop_;
  bool in_one_call_ = true;   ///< as far as is known, the device can
  bool judged_here_ = false;  ///< the last one
  RunnerCosts costs_;
};

/// The limits of every output, for devices that judge. Errors: those of NDArray.
Result<std::vector<Limits>> limits_of(te::Expected const& expected, ir::Program const& program);

}  // namespace tw
