/// Candidates on one device: run, judged, timed.
#pragma once

#include <functional>

#include "engine/measure/kernel_bench.h"
#include "engine/records/trial.h"
#include "engine/te/expected.h"
#include "engine/tuner/device_speed.h"
#include "engine/tuner/failures.h"
#include "engine/tuner/machine_turns.h"

namespace tw {

/// Why a candidate has no time.
struct Trouble {
  records::Outcome outcome = records::Outcome::kOk;
  std::string sentence;
  bool slow = false;  ///< the device is: it says nothing about the candidate
  FailureOwner owner = FailureOwner::kKernel;
  std::string code = {};  ///< of the error that it was; empty: it was none
};
/// What a candidate took.
struct TrialSamples {
  std::vector<double> seconds;  ///< samples, as of a device that did not slow down
  double speed = 0;             ///< of the device meanwhile; 0: not known
};

struct RunnerCosts {
  double running = 0;    ///< seconds, on the device
  double comparing = 0;  ///< of outputs here
};

/// How a runner shares what it uses; all outlive it.
struct RunnerShares {
  DeviceSpeed& speed;             ///< of its device
  MachineTurns* turns = nullptr;  ///< null: its device has a machine of its own
};

/// Used by one thread at a time.
class TrialRunner {
public:
  /// `expected` outlives it.
  TrialRunner(Device& device, ir::Program const& program, std::vector<NDArray> inputs,
              te::Expected const& expected, std::vector<Limits> limits, int threads, StopToken stop,
              RunnerShares shares)
      : device_(device),
        shares_(shares),
        bench_(device, program, std::move(inputs)),
        expected_(expected),
        limits_(std::move(limits)),
        threads_(threads),
        stop_(std::move(stop)) {}

  /// Samples of what is right. Judged on the device where that can do it, and in one call. What a
  /// slowed device measured is measured again, and is trouble where it stays so.
  /// `incumbent`: seconds of the best that is known, 0: none; what is clearly slower gets fewer
  /// samples.
  std::expected<TrialSamples, Trouble> tried(KernelCode const& code, double incumbent);
  /// How many candidates are worth one call: more than 1 where a call takes a while to get there.
  int worth_one_call() const;
  /// Several in one call. `on_samples` gets those that are settled, as they come: right, of full
  /// speed, and slower than the best; the others are to be tried alone.
  void tried_each(std::span<KernelCode const* const> codes, double incumbent,
                  std::function<void(size_t which, TrialSamples measured)> const& on_samples);
  /// Whether what the last one left here is right, whoever judged it before; nothing: it is.
  std::optional<Trouble> wrong_after_all();
  /// Whether the device answers, and is not slow.
  bool is_back();
  /// It stays slow: what took `seconds` before is measured now, and says by how much.
  void settle(KernelCode const& code, double seconds);

  KernelBench& bench() { return bench_; }
  RunnerCosts const& costs() const { return costs_; }

private:
  BenchOptions options(double incumbent) const;
  std::expected<TrialSamples, Trouble> measured(KernelCode const& code, double incumbent);
  std::expected<TrialSamples, Trouble> measured_in_calls(KernelCode const& code,
                                                         BenchOptions const& bench);
  double speed_now();
  std::optional<Trouble> judged(std::vector<NDArray> const& outputs);

  Device& device_;
  RunnerShares shares_;
  KernelBench bench_;
  te::Expected const& expected_;
  std::vector<Limits> limits_;
  int threads_;
  StopToken stop_;
  bool in_one_call_ = true;   ///< as far as is known, the device can
  bool several_ = true;       ///< as well, several
  double round_trip_ = 0;     ///< seconds, of a call that takes no time there; 0: not known
  double trial_seconds_ = 0;  ///< of the last call for one trial
  bool judged_here_ = false;  ///< the last one
  RunnerCosts costs_;
};

/// The limits of every output, for devices that judge. Errors: those of NDArray.
Result<std::vector<Limits>> limits_of(te::Expected const& expected, ir::Program const& program);

}  // namespace tw
