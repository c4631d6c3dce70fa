#include "engine/session/state/measure_runner.h"

#include <fmt/format.h>

#include "engine/compile/kernel_code.h"
#include "engine/device/registry.h"
#include "engine/measure/roofs.h"
#include "engine/session/model/kernel_reference.h"
#include "engine/support/base/quantities.h"

namespace tw::session {

void MeasureRunner::know_peak(double gflops) {
  peak_ = gflops;
  if (probe_) probe_->know(gflops);
}

bool MeasureRunner::burst_is_fast(StopToken stop) {
  if (!probe_) {
    auto probes = backend().roof_probes();
    if (!probes) return true;
    probe_ = std::make_unique<SpeedProbe>(device(), std::move(*probes), threads_);
    probe_->know(peak_);
  }
  auto speed = probe_->speed({.stop = stop});
  return !speed || probe_->is_quiet(*speed);
}

bool MeasureRunner::is_quiet(StopToken stop) {
  return !others_run(device(), backend().target().hardware, stop) && burst_is_fast(stop);
}

namespace {

/// Of the samples of a kernel that has the processors for itself.
constexpr double kSteadySpread = 0.25;

}  // namespace

Result<MeasureRunner::Outcome> MeasureRunner::measure(Model const& model, int kernel,
                                                      ir::Program const& program, CodeTier tier,
                                                      StopToken stop, Progress const& progress) {
  TRY(prepare(model, kernel, stop, progress));
  TRY_ASSIGN(KernelCode code, compile_kernel(program, backend(), tier, stop));
  BenchOptions options;
  options.threads = threads_;
  options.timing = {.warm_up = 0, .repeats = 5, .min_sample_seconds = 50e-6, .most_seconds = 0.4};
  options.call.stop = stop;
  options.call.timeout = std::chrono::seconds(30);
  std::shared_ptr<void> held = while_timing_ ? while_timing_() : nullptr;
  bool fast_before = burst_is_fast(stop);
  TRY_ASSIGN(BenchResult result, bench_->measure(code, options));
  bool disturbed = !fast_before || !burst_is_fast(stop) || result.samples.spread() > kSteadySpread;
  Comparison worst = te::judge(result.outputs, expected_);
  return Outcome{std::move(result), worst, disturbed};
}

Result<CheckedRun> MeasureRunner::check(Model const& model, int kernel, ir::Program const& program,
                                        StopToken stop) {
  TRY(prepare(model, kernel, stop));
  BenchOptions options;
  options.threads = threads_;
  options.call.stop = stop;
  options.call.timeout = std::chrono::seconds(60);
  KernelTask const& task = model->kernel(kernel);
  int64_t operations = std::max(task.flops, task.bytes / 4);  // a copy counts its elements
  return run_checked(program, operations, kMostCheckedOperations, backend(), *bench_, options);
}

Result<FurtherVerdict> MeasureRunner::judge_further(Model const& model, int kernel,
                                                    ir::Program const& program, StopToken stop) {
  TRY(prepare(model, kernel, stop));
  TRY(verify_further(model->kernel(kernel).kernel));
  BenchOptions options;
  options.threads = threads_;
  options.call.stop = stop;
  options.call.timeout = std::chrono::seconds(60);
  if (!further_) {
    TRY_ASSIGN(ir::Program plain, plain_program(*model, kernel));
    TRY_ASSIGN(FurtherInputs inputs,
               FurtherInputs::create({*model, kernel, backend(), device(), options, {}}, plain));
    further_ = std::move(inputs);
  }
  TRY_ASSIGN(KernelCode code, compile_kernel(program, backend(), CodeTier::kFull, stop));
  return further_->judge(code, options);
}

Status MeasureRunner::prepare(Model const& model, int kernel, StopToken stop,
                              Progress const& progress) {
  if (bench_ && model_ == model && kernel_ == kernel) return {};
  bench_.reset();
  further_.reset();
  TRY_ASSIGN(ir::Program plain, plain_program(*model, kernel));
  TRY_ASSIGN(KernelReference reference,
             kernel_reference(*model, kernel, backend(), device(), stop, progress));
  auto bench = std::make_unique<KernelBench>(device(), plain, std::move(reference.inputs));
  expected_ = std::move(reference.expected);
  bench_ = std::move(bench);
  model_ = model;
  kernel_ = kernel;
  return {};
}

}  // namespace tw::session
