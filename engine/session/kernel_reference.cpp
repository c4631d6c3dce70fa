#include "engine/session/kernel_reference.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "engine/ir/interpreter.h"
#include "engine/measure/kernel_bench.h"
#include "engine/te/inputs.h"
#include "engine/te/narrow.h"
#include "engine/te/rounding.h"

namespace tw::session {
namespace {

/// About a minute of a plain nest: nobody waits longer for one comparison.
constexpr int64_t kMostIterations = 60'000'000'000;
constexpr int64_t kMostInterpreted = 300'000;

int64_t memory_of_this_machine() {
  return int64_t(sysconf(_SC_PHYS_PAGES)) * int64_t(sysconf(_SC_PAGESIZE));
}

/// Sums and products that stay at the largest number.
int64_t plus(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}
int64_t times(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

int64_t bytes_of(ir::BufferNode const& buffer) {
  int64_t bytes = tw::size_of(buffer.type);
  for (int64_t extent : ir::constant_shape(buffer).value_or(Shape{})) bytes = times(bytes, extent);
  return bytes;
}

te::RunProgram runner(std::vector<NDArray> const& inputs, KernelSize const& size,
                      Backend const& backend, Device& device, StopToken stop) {
  return [&inputs, size, &backend, &device,
          stop](ir::Program const& plain) -> Result<std::vector<NDArray>> {
    if (size.iterations <= kMostInterpreted) return ir::interpret(plain, inputs, {.stop = stop});
    TRY_ASSIGN(KernelCode code, compile_kernel(plain, backend, CodeTier::kFast));
    BenchOptions options;
    options.call.stop = stop;
    options.call.timeout = std::chrono::minutes(3);
    return KernelBench(device, plain, inputs).run(code, options);
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
                     fmt::format("{} computes something else than its operators: the largest "
                                 "difference is {:.3g} where the largest value is {:.3g}",
                                 name, one.max_abs_diff, one.max_abs_ref));
  }
  return {};
}

}  // namespace

KernelSize size_of(te::Kernel const& kernel) {
  KernelSize size;
  for (te::Stage const& stage : kernel.stages) {
    int64_t points = 1;
    for (auto const* list : {&stage.axes, &stage.reduce})
      for (te::Axis const& axis : *list) points = times(points, axis.extent);
    size.iterations = plus(size.iterations, points);
    size.bytes = plus(size.bytes, bytes_of(*stage.output));
  }
  for (te::Buffer const& input : kernel.inputs) size.bytes = plus(size.bytes, bytes_of(*input));
  return size;
}

Status verify_size(te::Kernel const& kernel) {
  KernelSize size = size_of(kernel);
  if (size.iterations > kMostIterations)
    return refused("kernel_too_large",
                   fmt::format("{} runs {:.3g} iterations; results are compared up to {:.3g}",
                               kernel.name, double(size.iterations), double(kMostIterations)));
  int64_t most = memory_of_this_machine() / 4;  // here and on the device, in double precision, too
  if (size.bytes > most)
    return refused("kernel_too_large",
                   fmt::format("the tensors of {} take {:.1f} GB; on this machine results are "
                               "compared up to {:.1f} GB",
                               kernel.name, double(size.bytes) * 1e-9, double(most) * 1e-9));
  return {};
}

Result<KernelReference> kernel_reference(LoadedModel const& model, int kernel,
                                         Backend const& backend, Device& device, StopToken stop) {
  te::Kernel const& defined = model.kernel(kernel).kernel;
  TRY(verify_size(defined));
  KernelReference reference;
  TRY_ASSIGN(reference.inputs, te::proving_inputs(defined, 1));
  std::optional<std::vector<NDArray>> operators;
  if (!model.own.contains(kernel)) {
    TRY_ASSIGN(operators, reference_outputs(model, kernel, reference.inputs, stop));
  }
  // Operators on narrow floats round one after the other, a kernel of several at its end.
  bool the_same = operators && !te::has_narrow(defined);
  if (the_same && te::analyze_rounding(defined, reference.inputs).all_exact()) {
    for (NDArray& output : *operators) reference.expected.push_back({std::move(output), {}});
    return reference;
  }
  TRY_ASSIGN(reference.expected, te::expected_outputs(defined, reference.inputs,
                                                      runner(reference.inputs, size_of(defined),
                                                             backend, device, stop)));
  if (operators) TRY(verify_against(*operators, reference.expected, defined.name));
  return reference;
}

}  // namespace tw::session
