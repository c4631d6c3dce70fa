#include "engine/session/model/kernel_reference.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/backend/target_table.h"
#include "engine/device/local_device.h"
#include "engine/ir/interpreter.h"
#include "engine/measure/kernel_bench.h"
#include "engine/session/model/progress_ticker.h"
#include "engine/te/rounding.h"

namespace tw::session {
namespace {

constexpr int64_t kMostInterpreted = 300'000;
/// Of a plain nest, on one core: roughly, for words about how long it takes.
constexpr double kIterationsPerSecond = 1e9;

Result<std::vector<NDArray>> run_compiled(ir::Program const& plain,
                                          std::vector<NDArray> const& inputs,
                                          Backend const& backend, Device& device, StopToken stop) {
  TRY_ASSIGN(KernelCode code, compile_kernel(plain, backend, CodeTier::kFast, stop));
  BenchOptions options;
  options.call.stop = stop;
  options.call.timeout = std::chrono::minutes(3);
  return KernelBench(device, plain, inputs).run(code, options);
}

/// On this machine's own processor, which runs any nest.
Result<std::vector<NDArray>> run_compiled_here(ir::Program const& plain,
                                               std::vector<NDArray> const& inputs, StopToken stop) {
  TRY_ASSIGN(Hardware hardware, target_hardware_here());
  TRY_ASSIGN(std::shared_ptr<Backend const> backend, create_backend(hardware));
  LocalDevice device(LocalDeviceOptions{.program = {}, .target = hardware.target});
  return run_compiled(plain, inputs, *backend, device, stop);
}

bool is_without_device(Result<std::vector<NDArray>> const& outputs, StopToken const& stop) {
  return !outputs && outputs.error().fault == Fault::kEnvironment && !stop.stop_requested();
}

/// The same; slowly, by the interpreter, where this build makes no code for it or no device can be
/// started.
Result<std::vector<NDArray>> run_here(ir::Program const& plain, std::vector<NDArray> const& inputs,
                                      StopToken stop) {
  auto outputs = run_compiled_here(plain, inputs, stop);
  return is_without_device(outputs, stop) ? ir::interpret(plain, inputs, {.stop = stop}) : outputs;
}

/// Where every trial of several devices is judged by it, another machine is asked only where this
/// one cannot run the nest: it may say what it likes.
Result<std::vector<NDArray>> run_trusted(ir::Program const& plain,
                                         std::vector<NDArray> const& inputs, Backend const& backend,
                                         Device& device, ReferenceFrom from, StopToken stop) {
  if (from == ReferenceFrom::kHere) {
    auto outputs = run_compiled_here(plain, inputs, stop);
    if (!is_without_device(outputs, stop)) return outputs;
  }
  return run_compiled(plain, inputs, backend, device, stop);
}

te::RunProgram runner(std::vector<NDArray> const& inputs, KernelSize const& size,
                      Backend const& backend, Device& device, ReferenceFrom from, StopToken stop) {
  return [&inputs, size, &backend, &device, from,
          stop](ir::Program const& plain) -> Result<std::vector<NDArray>> {
    if (size.iterations <= kMostInterpreted) return ir::interpret(plain, inputs, {.stop = stop});
    auto outputs = run_trusted(plain, inputs, backend, device, from, stop);
    // A target whose memories must be used refuses the plain nest.
    bool refused = !outputs && outputs.error().fault == Fault::kRefused;
    return refused && !stop.stop_requested() ? run_here(plain, inputs, stop) : outputs;
  };
}

/// How far two formulas of one operator may be apart: they are compared to find a wrong kernel, not
/// a wrong schedule.
double tolerance(DType type) {
  return type == DType::kF16 ? 2e-2 : type == DType::kBF16 ? 1e-1 : 1e-3;
}

Status verify_against(std::vector<NDArray> const& operators, te::Expected const& expected,
                      std::string const& name) {
  for (size_t i = 0; i < operators.size() && i < expected.size(); ++i) {
    Comparison one = compare(expected[i].values, operators[i], tolerance(operators[i].type()));
    if (!one.equal)
      return refused("wrong_kernel",
                     fmt::format("{} does not compute the same as its operators: the largest "
                                 "difference is {:.3g}, and the largest value is {:.3g}",
                                 name, one.max_abs_diff, one.max_abs_ref));
  }
  return {};
}

}  // namespace

Result<KernelReference> kernel_reference(LoadedModel const& model, int kernel,
                                         Backend const& backend, Device& device, StopToken stop,
                                         Progress const& progress, te::InputSet set,
                                         ReferenceFrom from) {
  te::Kernel const& defined = model.kernel(kernel).kernel;
  TRY_ASSIGN(std::vector<NDArray> inputs, te::proving_inputs(defined, 1, set));
  return reference_on(std::move(inputs), model, kernel, backend, device, stop, progress, from);
}

Result<KernelReference> reference_on(std::vector<NDArray> inputs, LoadedModel const& model,
                                     int kernel, Backend const& backend, Device& device,
                                     StopToken stop, Progress const& progress, ReferenceFrom from) {
  te::Kernel const& defined = model.kernel(kernel).kernel;
  TRY(verify_size(defined));
  auto iterations = double(size_of(defined).iterations);
  ProgressTicker elapsing(
      progress,
      fmt::format("{}: running its unscheduled nest of {:.3g} iterations for the reference result",
                  defined.name, iterations),
      iterations / kIterationsPerSecond);
  KernelReference reference{std::move(inputs), {}};
  std::optional<std::vector<NDArray>> operators;
  if (!model.own.contains(kernel)) {
    TRY_ASSIGN(operators, reference_outputs(model, kernel, reference.inputs, stop));
  }
  if (operators && te::analyze_rounding(defined, reference.inputs).all_exact()) {
    for (NDArray& output : *operators) reference.expected.push_back({std::move(output), {}});
    return reference;
  }
  TRY_ASSIGN(reference.expected, te::expected_outputs(defined, reference.inputs,
                                                      runner(reference.inputs, size_of(defined),
                                                             backend, device, from, stop)));
  if (operators) TRY(verify_against(*operators, reference.expected, defined.name));
  return reference;
}

}  // namespace tw::session
