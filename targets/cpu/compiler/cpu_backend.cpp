#include "targets/cpu/compiler/cpu_backend.h"

#include <fmt/format.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <array>
#include <sstream>

#include "engine/backend/code_reporter.h"
#include "engine/ir/intrinsic.h"
#include "engine/lowering/passes.h"
#include "targets/cpu/compiler/cpu_intrinsic.h"
#include "targets/cpu/compiler/cpu_machine.h"
#include "targets/cpu/compiler/layouts.h"
#include "targets/cpu/compiler/probes.h"
#include "targets/cpu/compiler/rules/rules.h"
#include "targets/cpu/compiler/time_model.h"
#include "targets/cpu/hardware/detect.h"
#include "targets/shared/link/link.h"
#include "targets/shared/llvm/kernel_module.h"
#include "targets/shared/llvm/words.h"

namespace tw {
namespace {

/// The list, in order; each row says why it stands where it stands.
std::vector<Pass> cpu_passes() {
  return {
      hoist_reduction_init(),
      lower_blocks(),
      simplify_kernel().because(
          "before loops are partitioned: simplified guards show where they hold"),
      unswitch_symbolic(),
      inline_calls(),
      compact_tensors(),
      peel_symbolic_tails(),
      bound_symbolic_loops(),
      partition_loops(),
      predicate_updates(),
      flatten_buffers(),
      vectorize_loops(),
      lower_intrinsics(),
      unroll_loops(),
      simplify_kernel().because("after unrolling: each copy has its own constants to fold"),
      promote_accumulators(),
      plan_workspace(),
      read_sizes(),
  };
}

class CpuBackend final : public Backend, public CodeReporter {
public:
  CpuBackend(Target target, Machine machine)
      : Backend(std::move(target)), machine_(std::move(machine)), passes_(cpu_passes()) {
    for (CpuIntrinsic const* one : intrinsics_of(this->target().hardware))
      codes_[tensor_intrinsic(*one).declaration->name] = one->code;
  }

  Result<GraphChoices> choose_layouts(Graph const& graph, Decisions& decisions) const override {
    return choose_cpu_layouts(graph, decisions);
  }
  std::span<Pass const> passes() const override { return passes_; }

  std::span<CodeTextKind const> texts() const override { return texts_; }
  std::string generator() const override { return code_generator_version(); }
  std::string library_ending() const override { return "so"; }

  Result<Artifact> generate(ir::KernelIr const& kernel, CodeTier tier, CodeTexts texts,
                            StopToken stop) const override {
    llvm::LLVMContext context;
    CheckedModule built;
    if (tier == CodeTier::kChecked) {
      TRY_ASSIGN(built, build_checked_module(kernel, machine_, context, codes_));
    } else {
      TRY_ASSIGN(built.module, build_kernel_module(kernel, machine_, context, codes_));
      built.workspace_bytes = workspace_bytes(kernel);
    }
    TRY_ASSIGN(Emitted emitted, machine_.generate(*built.module, tier, texts, stop));
    Artifact artifact;
    artifact.parts = {{"object", std::move(emitted.object)}};
    artifact.symbol = kernel.host.name;
    artifact.workspace_bytes = built.workspace_bytes;
    artifact.accesses = std::move(built.accesses);
    artifact.report_offset = built.report_offset;
    if (texts == CodeTexts::kNone) return artifact;
    artifact.lowered = ir::print(kernel);
    artifact.listings = {
        {texts_[0].key, std::move(emitted.ir), {}},
        {texts_[1].key, std::move(emitted.assembly), std::move(emitted.source_line)}};
    artifact.instructions = emitted.instructions;
    return artifact;
  }

  std::string instructions_listing() const override { return texts_[1].key; }
  Result<CodeReport> report(std::string const& listing, std::span<int32_t const> loop,
                            StopToken stop) const override {
    return machine_.report(listing, loop, stop);
  }
  Result<std::vector<CodeRemark>> remarks(ir::KernelIr const& kernel,
                                          StopToken stop) const override {
    llvm::LLVMContext context;
    TRY_ASSIGN(auto module, build_kernel_module(kernel, machine_, context, codes_));
    return machine_.remarks(*module, stop);
  }

  Result<std::vector<std::byte>> link(std::span<CodeParts const> kernels) const override {
    std::vector<std::vector<std::byte>> objects;
    for (CodeParts const& kernel : kernels)
      for (CodePart const& part : kernel) objects.push_back(part.bytes);
    return link_shared_library(objects, cpu_link_options(target().hardware));
  }

  Result<Schedule> templated(ir::Program const& program, Decisions& decisions) const override {
    return cpu_schedule(program, shared_target(), decisions);
  }
  Result<RoofProbes> roof_probes() const override {
    return build_cpu_roof_probes(machine_, target().hardware.unit().vector_bytes,
                                 cpu_link_options(target().hardware),
                                 intrinsics_of(target().hardware));
  }

  std::optional<analysis::TimeModel> model_time(ir::Program const& program,
                                                analysis::Locality const& locality,
                                                Roofs const& roofs) const override {
    return cpu_model_time(program, locality, target().hardware, roofs);
  }

private:
  std::array<CodeTextKind, 2> texts_ = {
      {{"llvm", "LLVM IR", "what the code generator gets from the last pass"},
       {"assembly", "Assembly",
        "the machine's instructions, each linked to its source line and loops"}}};
  Machine machine_;
  std::vector<Pass> passes_;
  InstructionCodes codes_;
};

/// "x86_64" of "x86_64-linux-gnu"
std::string architecture_of(Hardware const& hardware) {
  std::string triple = hardware.word(kTriple);
  return triple.substr(0, triple.find('-'));
}

/// "x86-64 · AVX-512"
std::string title_of(Hardware const& hardware) {
  std::string family = architecture_of(hardware);
  int bytes = hardware.unit().vector_bytes;
  if (family == "x86_64")
    return fmt::format("x86-64 · {}", bytes == 64 ? "AVX-512" : bytes == 32 ? "AVX2" : "SSE");
  bool neon = family == "aarch64" || hardware.word(kFeatures).contains("+neon");
  return family + (neon ? " · NEON" : fmt::format(" · {}-bit vectors", bytes * 8));
}

MachineNeeds needs_of(Hardware const& hardware) {
  MachineNeeds needs{architecture_of(hardware), hardware.word(kProcessor), {}};
  std::istringstream words(hardware.word(kFeatures));
  for (std::string word; std::getline(words, word, ',');)
    if (word.starts_with('+')) needs.features.push_back(word.substr(1));
  return needs;
}

}  // namespace

Result<std::shared_ptr<Backend const>> create_cpu_backend(Hardware const& hardware,
                                                          std::string generator) {
  TRY_ASSIGN(Machine machine, create_cpu_machine(hardware, std::move(generator)));
  Target target{.name = kCpuTarget,
                .hardware = hardware,
                .title = title_of(hardware),
                .needs = needs_of(hardware),
                .scopes = {{.name = kGlobalScope, .doc = "main memory, through the caches"},
                           {.name = "local",
                            .doc = "the stack of the computing thread, for small tensors",
                            .shared_by = Level::kThread}},
                .annotations = llvm_words()};
  for (CpuIntrinsic const* one : intrinsics_of(hardware))
    target.intrinsics.push_back(tensor_intrinsic(*one));
  return std::make_shared<CpuBackend>(std::move(target), std::move(machine));
}

}  // namespace tw
