#include "targets/cpu/compiler/cpu_backend.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "targets/cpu/compiler/probes.h"
#include "targets/cpu/compiler/rules/rules.h"
#include "targets/cpu/hardware/detect.h"
#include "targets/shared/link/link.h"
#include "targets/shared/llvm/kernel_module.h"
#include "targets/shared/llvm/machine.h"

namespace tw {
namespace {

/// The list, in order; each row says why it stands where it stands.
std::vector<Pass> cpu_passes() {
  return {
      hoist_reduction_init(),
      lower_blocks(),
      simplify_kernel("before loops are cut: guards in their simplest form show where they hold"),
      compact_tensors(),
      partition_loops(),
      flatten_buffers(),
      vectorize_loops(),
      unroll_loops(),
      simplify_kernel("after copies were made: each has constants of its own to fold"),
      promote_accumulators(),
      plan_workspace(),
  };
}

class CpuBackend final : public Backend {
public:
  CpuBackend(Target target, Machine machine)
      : Backend(std::move(target)), machine_(std::move(machine)), passes_(cpu_passes()) {}

  std::span<Pass const> passes() const override { return passes_; }

  std::string generator() const override { return code_generator_version(); }

  Result<Artifact> generate(ir::KernelIr const& kernel, CodeTier tier, CodeTexts texts,
                            StopToken stop) const override {
    llvm::LLVMContext context;
    CheckedModule built;
    if (tier == CodeTier::kChecked) {
      TRY_ASSIGN(built, build_checked_module(kernel, machine_, context));
    } else {
      TRY_ASSIGN(built.module, build_kernel_module(kernel, machine_, context));
      built.workspace_bytes = workspace_bytes(kernel);
    }
    TRY_ASSIGN(Emitted emitted, machine_.generate(*built.module, tier, texts, stop));
    Artifact artifact;
    artifact.object = std::move(emitted.object);
    artifact.symbol = kernel.host.name;
    artifact.workspace_bytes = built.workspace_bytes;
    artifact.accesses = std::move(built.accesses);
    artifact.report_offset = built.report_offset;
    if (texts == CodeTexts::kNone) return artifact;
    artifact.lowered = ir::print(kernel);
    artifact.llvm_ir = std::move(emitted.ir);
    artifact.assembly = std::move(emitted.assembly);
    artifact.assembly_lines = std::move(emitted.source_line);
    return artifact;
  }

  Result<std::vector<std::byte>> link(
      std::span<std::vector<std::byte> const> objects) const override {
    return link_shared_library(objects, {});
  }

  Result<Schedule> default_schedule(ir::Program const& program) const override {
    return cpu_default_schedule(program, shared_target());
  }
  Result<RoofProbes> roof_probes() const override {
    return build_cpu_roof_probes(machine_, target().hardware.vector_bytes);
  }

private:
  Machine machine_;
  std::vector<Pass> passes_;
};

}  // namespace

Result<std::shared_ptr<Backend const>> create_cpu_backend(Hardware const& hardware,
                                                          std::string generator) {
  TRY_ASSIGN(Machine machine, Machine::create(hardware, std::move(generator)));
  Target target{.name = kCpuTarget,
                .hardware = hardware,
                .scopes = {{.name = kGlobalScope, .doc = "main memory, through the caches"},
                           {.name = "local",
                            .doc = "the stack of the thread that computes, where it is small",
                            .shared_by = Level::kThread}}};
  return std::make_shared<CpuBackend>(std::move(target), std::move(machine));
}

}  // namespace tw
