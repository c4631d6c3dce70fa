/// Kernels measured for the session: inputs and the right answer are made once per kernel.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/device/device.h"
#include "engine/history/history.h"
#include "engine/measure/kernel_bench.h"
#include "engine/measure/speed_probe.h"
#include "engine/session/model/checked_run.h"
#include "engine/session/model/further_inputs.h"
#include "engine/session/model/loaded_model.h"
#include "engine/session/session.h"
#include "engine/session/state/known_devices.h"
#include "engine/te/expected.h"

namespace tw::session {

/// Measures kernels on the device; used by the job thread only.
class MeasureRunner {
public:
  /// `threads`: 0 for all cores of the device.
  MeasureRunner(ChosenDevice chosen, int threads)
      : chosen_(std::move(chosen)), threads_(threads_on(*chosen_.backend, threads)) {}

  /// For another kernel on the same device, so that this one keeps what it made for its own.
  std::unique_ptr<MeasureRunner> another() const {
    auto other = std::make_unique<MeasureRunner>(chosen_, threads_);
    other->know_peak(peak_);
    other->while_timing(while_timing_);
    return other;
  }

  /// What it returns is kept for as long as a kernel is timed.
  void while_timing(std::function<std::shared_ptr<void>()> hold) {
    while_timing_ = std::move(hold);
  }

  Device& device() { return *chosen_.device; }
  std::string const& title() const { return chosen_.title; }
  int threads() const { return threads_; }

  struct Outcome {
    BenchResult result;
    Comparison comparison;
    bool disturbed = false;  ///< others used the processors meanwhile
  };
  /// Compiles, runs once over poisoned outputs, compares, times.
  Result<Outcome> measure(Model const& model, int kernel, ir::Program const& program, CodeTier tier,
                          StopToken stop, Progress const& progress = {});

  /// Compares the parts of a schedule on this device.
  using OnBench = std::function<Status(KernelBench&, te::Expected const&)>;
  Status on_bench(Model const& model, int kernel, OnBench const& work, StopToken stop,
                  Progress const& progress = {}) {
    TRY(prepare(model, kernel, stop, progress));
    return work(*bench_, expected_);
  }

  /// What this device was seen to reach, in GFLOP/s on all its threads.
  void know_peak(double gflops);
  /// Nobody else uses the device's processors now.
  bool is_quiet(StopToken stop);

  /// Runs it once with every access checked, if that is no long work.
  Result<CheckedRun> check(Model const& model, int kernel, ir::Program const& program,
                           StopToken stop);
  /// What was right on the first inputs, on further ones. Errors: kernel_too_long, and those of
  /// `FurtherInputs`.
  Result<FurtherVerdict> judge_further(Model const& model, int kernel, ir::Program const& program,
                                       StopToken stop);

private:
  /// Inputs and the right answer of a kernel, made when the kernel changes.
  Status prepare(Model const& model, int kernel, StopToken stop, Progress const& progress = {});

  Backend const& backend() const { return *chosen_.backend; }
  /// Of a burst of arithmetic now; a device that cannot run it is not called slow.
  bool burst_is_fast(StopToken stop);

  ChosenDevice chosen_;
  int threads_;
  Model model_;
  int kernel_ = -1;
  std::unique_ptr<KernelBench> bench_;
  te::Expected expected_;
  std::optional<FurtherInputs> further_;  ///< of the same kernel, once they were asked for
  std::unique_ptr<SpeedProbe> probe_;
  double peak_ = 0;
  std::function<std::shared_ptr<void>()> while_timing_;
};

}  // namespace tw::session
