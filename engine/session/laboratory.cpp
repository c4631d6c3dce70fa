#include "engine/session/laboratory.h"

#include <fmt/format.h>

#include "engine/compile/kernel_code.h"
#include "engine/device/registry.h"
#include "engine/session/kernel_reference.h"

namespace tw::session {

TriedOn Laboratory::tried_on() const {
  return {title().empty() ? kLocalDeviceName : title(),
          fmt::format("{}, {} thread{}", backend().target().hardware.name, threads_,
                      threads_ == 1 ? "" : "s")};
}

Result<Laboratory::Outcome> Laboratory::measure(Model const& model, int kernel,
                                                ir::Program const& program, CodeTier tier,
                                                StopToken stop) {
  TRY(prepare(model, kernel, stop));
  TRY_ASSIGN(KernelCode code, compile_kernel(program, backend(), tier));
  BenchOptions options;
  options.threads = threads_;
  options.timing = {.warm_up = 0, .repeats = 5, .min_sample_seconds = 50e-6, .most_seconds = 0.4};
  options.call.stop = stop;
  options.call.timeout = std::chrono::seconds(30);
  TRY_ASSIGN(BenchResult result, bench_->measure(code, options));
  Comparison worst = te::judge(result.outputs, expected_);
  return Outcome{std::move(result), worst};
}

Result<CheckedRun> Laboratory::check(Model const& model, int kernel, ir::Program const& program,
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

Status Laboratory::prepare(Model const& model, int kernel, StopToken stop) {
  if (bench_ && model_ == model && kernel_ == kernel) return {};
  bench_.reset();
  TRY_ASSIGN(ir::Program plain, plain_program(*model, kernel));
  TRY_ASSIGN(KernelReference reference,
             kernel_reference(*model, kernel, backend(), device(), stop));
  auto bench = std::make_unique<KernelBench>(device(), plain, std::move(reference.inputs));
  expected_ = std::move(reference.expected);
  bench_ = std::move(bench);
  model_ = model;
  kernel_ = kernel;
  return {};
}

}  // namespace tw::session
