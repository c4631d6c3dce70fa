// bench-instructions: kernels whose scripts use an instruction, checked and measured on one pinned
// core beside a probe of the instruction alone; JSON on stdout.
#include <fmt/format.h>
#include <sched.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "engine/ir/intrinsic.h"
#include "engine/runtime/thread_pool.h"
#include "engine/schedule/trace.h"
#include "engine/te/te.h"
#include "targets/cpu/compiler/cpu_backend.h"
#include "targets/cpu/compiler/cpu_intrinsic.h"
#include "targets/cpu/hardware/detect.h"
#include "tests/benchmarks/instructions/workloads.h"
#include "tests/benchmarks/kernels/rounds.h"

namespace tw::bench {
namespace {

using Json = nlohmann::ordered_json;

/// A compiled kernel with its tensors.
struct Runnable {
  LoadedModule module;
  TwKernel kernel = nullptr;
  std::vector<NDArray> tensors;  ///< inputs, outputs, workspace

  void run(TwRuntime const* runtime) {
    std::vector<void*> buffers;
    for (NDArray& one : tensors) buffers.push_back(one.data());
    kernel(buffers.data(), runtime);
  }
};

Result<Runnable> compiled(Schedule const& schedule, Backend const& backend) {
  ir::Program const& program = schedule.program();
  TRY_ASSIGN(auto stages, lower(program, backend.target(), backend.passes()));
  TRY_ASSIGN(Artifact artifact,
             backend.compile(stages.back().kernel, CodeTier::kFull, CodeTexts::kNone));
  TRY_ASSIGN(LoadedModule module, LoadedModule::load(artifact.library));
  TRY_ASSIGN(void* address, module.symbol(artifact.symbol));
  Runnable made{std::move(module), reinterpret_cast<TwKernel>(address), {}};
  Rng rng(5);
  for (auto const* list : {&program.inputs, &program.outputs})
    for (ir::Buffer const& buffer : *list) {
      TRY_ASSIGN(NDArray array, NDArray::create(buffer->type, *ir::constant_shape(*buffer)));
      for (int64_t i = 0; i < array.size() && list == &program.inputs; ++i)
        array.set_value(i, double(rng.below(256)) - (buffer->type == DType::kI8 ? 128 : 0));
      made.tensors.push_back(std::move(array));
    }
  TRY_ASSIGN(NDArray workspace, NDArray::create(DType::kU8, {artifact.workspace_bytes + 64}));
  made.tensors.push_back(std::move(workspace));
  return made;
}

/// The scheduled kernel and the plain one agree on all elements.
Status check(Runnable& ours, Runnable& plain, TwRuntime const* runtime) {
  ours.run(runtime);
  plain.run(runtime);
  if (ours.tensors[2].hash() == plain.tensors[2].hash()) return {};
  return refused("wrong_output", "the script's kernel and the plain one differ");
}

Result<Json> measured(InstructionWorkload const& workload, Backend const& backend) {
  TRY_ASSIGN(te::Kernel kernel, te::parse_kernel(workload.kernel));
  TRY_ASSIGN(ir::Program program, te::to_program(kernel));
  Schedule plain(program, backend.shared_target());
  TRY_ASSIGN(Script script, parse_script(workload.script));
  auto schedule = replay(plain, script);
  if (!schedule) return refused(schedule.error().code, schedule.error().message);
  TRY_ASSIGN(Runnable ours, compiled(*schedule, backend));
  TRY_ASSIGN(Runnable reference, compiled(plain, backend));
  ThreadPool pool(1);
  TRY(check(ours, reference, pool.runtime()));
  CpuIntrinsic const& intrinsic =
      **std::ranges::find_if(cpu_intrinsic_table(), [&](CpuIntrinsic const* one) {
        return tensor_intrinsic(*one).declaration->name == workload.intrinsic;
      });
  TRY_ASSIGN(FmaProbe probe, FmaProbe::create(backend, intrinsic.products, intrinsic.unit));
  Rng rng(1);
  std::vector<Arm> arms = {make_arm("ours", [&] { ours.run(pool.runtime()); })};
  double least = 0, peak = 0;
  int kept = 0, tried = 0;
  for (Round const& round : interleave(arms, probe, {.wanted = 15, .most = 200}, rng)) {
    ++tried;
    peak = std::max(peak, round.probes[0]);
    if (!round.kept) continue;
    ++kept;
    least = least == 0 ? round.seconds[0] : std::min(least, round.seconds[0]);
  }
  return Json{{"name", workload.name},
              {"what", workload.what},
              {"instruction", workload.intrinsic},
              {"steps", script.steps.size()},
              {"script", workload.script},
              {"milliseconds", least * 1e3},
              {"gops", workload.operations / least * 1e-9},
              {"peak_gops", peak * 1e-9},
              {"of_peak", workload.operations / least / peak},
              {"rounds", fmt::format("{}/{}", kept, tried)}};
}

int run() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(usable_cores().back(), &cores);
  sched_setaffinity(0, sizeof cores, &cores);
  auto backend = create_cpu_backend(detect_host());
  if (!backend) return fmt::print(stderr, "{}\n", to_sentence(backend.error())), 3;
  Json rows = Json::array();
  for (InstructionWorkload const& workload : instruction_workloads()) {
    if (!(*backend)->target().intrinsic(workload.intrinsic)) {
      fmt::print(stderr, "{} is left out: this processor does not have {}\n", workload.name,
                 workload.intrinsic);
      continue;
    }
    auto row = measured(workload, **backend);
    if (row)
      rows.push_back(*row);
    else
      rows.push_back({{"name", workload.name}, {"failure", to_sentence(row.error())}});
  }
  fmt::print("{}\n", rows.dump(1));
  return 0;
}

}  // namespace
}  // namespace tw::bench

int main() { return tw::bench::run(); }
