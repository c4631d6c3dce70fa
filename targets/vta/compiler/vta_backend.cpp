#include "targets/vta/compiler/vta_backend.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "engine/lowering/passes.h"
#include "targets/vta/compiler/intrinsics.h"
#include "targets/vta/compiler/layouts.h"
#include "targets/vta/compiler/listings.h"
#include "targets/vta/compiler/rules/rules.h"
#include "targets/vta/compiler/simulated.h"
#include "targets/vta/compiler/stages/kernel_calls.h"
#include "targets/vta/compiler/stages/places.h"
#include "targets/vta/compiler/token_room.h"
#include "targets/vta/hardware/description.h"

namespace tw::vta {
namespace {

std::vector<Pass> vta_passes() {
  return {
      hoist_reduction_init(),
      lower_blocks(),
      simplify_kernel().because("before tensors shrink: indices in their simplest form show their "
                                "reach"),
      compact_tensors(),
      simplify_kernel().because("before calls are made: what tensors were shrunk by is folded"),
      check_target(),
  };
}

std::vector<std::byte> bytes_of(std::string_view text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

class VtaBackend final : public Backend {
public:
  VtaBackend(Target target, Configuration configuration)
      : Backend(std::move(target)),
        configuration_(std::move(configuration)),
        passes_(vta_passes()) {}

  Result<GraphChoices> choose_layouts(Graph const& graph, Decisions&) const override {
    return choose_vta_layouts(graph, configuration_);
  }
  std::span<Pass const> passes() const override { return passes_; }
  std::span<CodeTextKind const> texts() const override { return texts_; }
  std::string generator() const override { return "VTA runtime 1"; }

  Result<Artifact> generate(ir::KernelIr const& kernel, CodeTier tier, CodeTexts texts,
                            StopToken) const override {
    if (tier == CodeTier::kChecked)
      return refused("not_supported", "the accelerator's simulator checks every access anyway");
    ir::PrintedProgram printed = ir::print(kernel);
    TRY_ASSIGN(CallProgram program, kernel_calls(kernel, configuration_, &printed));
    TRY(check_token_room(program));
    Artifact artifact;
    artifact.symbol = program.symbol;
    artifact.parts = {{"calls", bytes_of(to_text(program))}};
    if (texts == CodeTexts::kNone) return artifact;
    artifact.lowered = std::move(printed);
    artifact.listings = {calls_listing(program, texts_[0].key)};
    TRY_ASSIGN(StreamListing stream, instructions_listing(program, texts_[1].key));
    artifact.instructions = stream.instructions;
    artifact.listings.push_back(std::move(stream.listing));
    return artifact;
  }

  Result<std::vector<std::byte>> link(std::span<CodeParts const> kernels) const override {
    std::vector<std::byte> library;
    for (CodeParts const& kernel : kernels)
      for (CodePart const& part : kernel)
        library.insert(library.end(), part.bytes.begin(), part.bytes.end());
    return library;
  }

  Result<Schedule> templated(ir::Program const& program, Decisions& decisions) const override {
    return vta_schedule(program, shared_target(), configuration_, decisions, *memo_);
  }
  std::string why_unfit(ir::Program const& program) const override {
    return vta::why_unfit(program, configuration_);
  }
  Result<RoofProbes> roof_probes() const override {
    return refused("no_roofs", "the accelerator's roofs follow from its configuration");
  }
  std::optional<analysis::TimeModel> model_time(ir::Program const& program,
                                                analysis::Locality const&,
                                                Roofs const&) const override {
    auto calls = calls_of_program(program, Lines::kNone);
    return calls ? simulated_time(*calls) : std::nullopt;
  }

  bool has_timeline() const override { return true; }
  Result<Timeline> timeline(ir::Program const& program, StopToken) const override {
    TRY_ASSIGN(CallProgram calls, calls_of_program(program, Lines::kKnown));
    return simulated_timeline(calls);
  }

private:
  enum class Lines : uint8_t { kNone, kKnown };
  Result<CallProgram> calls_of_program(ir::Program const& program, Lines lines) const {
    TRY_ASSIGN(std::vector<LoweredStage> stages, lower(program, target(), passes_, {}));
    ir::KernelIr const& kernel = stages.back().kernel;
    std::optional<ir::PrintedProgram> printed;
    if (lines == Lines::kKnown) printed = ir::print(kernel);
    auto calls = kernel_calls(kernel, configuration_, printed ? &*printed : nullptr);
    if (calls) return calls;
    std::string reason = why_unfit(program);
    if (!reason.empty()) calls.error().message = reason;
    return calls;
  }

  std::array<CodeTextKind, 2> texts_ = {
      {{"calls", "Runtime calls",
        "copies, products and sums as the accelerator's runtime gets them, with their tokens"},
       {"instructions", "VTA instructions",
        "what the runtime makes of the calls: instructions and micro-op loads"}}};
  Configuration configuration_;
  std::vector<Pass> passes_;
  std::unique_ptr<StepMemo> memo_ = std::make_unique<StepMemo>();  ///< no part of what it is
};

MemoryScope memory(Configuration const& configuration, char const* name, Memory which,
                   char const* doc) {
  return {.name = name,
          .doc = doc,
          .bytes = configuration.buffer_bytes(which),
          .alignment = configuration.element_bytes(which),
          .shared_by = Level::kAccelerator};
}

std::vector<MemoryScope> memories(Configuration const& configuration) {
  MemoryScope inp = memory(configuration, kInpScope, Memory::kInp, "what is multiplied: data"),
              wgt = memory(configuration, kWgtScope, Memory::kWgt, "by what it is: weights"),
              acc = memory(configuration, kAccScope, Memory::kAcc,
                           "where products are added up, and all else is computed");
  return {{.name = kGlobalScope, .doc = "main memory, by DMA"}, inp, wgt, acc};
}

}  // namespace

Result<std::shared_ptr<Backend const>> create_vta_backend(Hardware const& hardware) {
  TRY_ASSIGN(Configuration configuration, configuration_of(hardware));
  return std::make_shared<VtaBackend>(
      Target{.name = kVtaTarget,
             .hardware = hardware,
             .title = fmt::format("VTA · {} x {} at {} MHz", configuration.batch(),
                                  configuration.block(), configuration.clock_mhz),
             .needs = {.architecture = configuration.key(), .processor = to_line(configuration)},
             .scopes = memories(configuration),
             .axes = {{"vthread", 8, Level::kThread, true}},
             .intrinsics = intrinsics_of(configuration),
             .types = {DType::kI8, DType::kI32, DType::kI64, DType::kBool}},
      configuration);
}

}  // namespace tw::vta
