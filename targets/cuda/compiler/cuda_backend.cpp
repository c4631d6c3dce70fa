#include "targets/cuda/compiler/cuda_backend.h"

#include <fmt/format.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "engine/ir/intrinsic.h"
#include "engine/ir/rewrite.h"
#include "engine/runtime/library_parts.h"
#include "engine/target/memory_parts.h"
#include "targets/cuda/compiler/access_listing.h"
#include "targets/cuda/compiler/async_copies.h"
#include "targets/cuda/compiler/bulk_copies.h"
#include "targets/cuda/compiler/dialect.h"
#include "targets/cuda/compiler/matrix_accesses.h"
#include "targets/cuda/compiler/matrix_rule.h"
#include "targets/cuda/compiler/matrix_units.h"
#include "targets/cuda/compiler/nvptx.h"
#include "targets/cuda/compiler/phase_barriers.h"
#include "targets/cuda/compiler/product_passes.h"
#include "targets/cuda/compiler/rates.h"
#include "targets/cuda/compiler/resources.h"
#include "targets/cuda/compiler/time_listing.h"
#include "targets/cuda/compiler/toolkit.h"
#include "targets/cuda/compiler/warp_shuffles.h"
#include "targets/cuda/compiler/warpgroup_units.h"
#include "targets/cuda/hardware/description.h"
#include "targets/cuda/hardware/library_names.h"
#include "targets/shared/gpu/algorithms.h"
#include "targets/shared/gpu/launch_report.h"
#include "targets/shared/gpu/passes.h"
#include "targets/shared/gpu/record_of.h"
#include "targets/shared/gpu/rules.h"
#include "targets/shared/gpu/shared_layout.h"
#include "targets/shared/gpu_pipeline/pipeline_timeline.h"

namespace tw::cuda {
namespace {

/// Shared memory that a function may declare; more is asked for when it is launched (CUDA C++
/// Programming Guide, Compute Capability 8.x, Shared Memory).
constexpr int64_t kMostDeclared = 48 << 10;
constexpr int64_t kThreads = 1024;
/// The compute capability that brought mma.sync of 16x8 tiles and cp.async.
constexpr int kAmpere = 80;

std::vector<std::byte> bytes_of(std::string_view text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::string text_of(std::vector<std::byte> const& bytes) {
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

/// A kernel on its way to code.
struct Parts {
  std::vector<c_text::DeviceText> texts;
  std::vector<LaunchedFunction> launched;
  std::vector<DeviceFunction> functions;
  OwnCalls own_calls;
};

Result<Parts> parts_of(ir::KernelIr const& kernel, ir::PrintedProgram const& printed,
                       MemoryScope const& memory) {
  Parts parts;
  TRY_ASSIGN(parts.own_calls, matrix_calls(kernel));
  TRY_ASSIGN(OwnCalls of_warpgroups, warpgroup_calls(kernel));
  parts.own_calls.merge(of_warpgroups);
  TRY_ASSIGN(OwnCalls of_bulk_copies, bulk_calls(kernel));
  parts.own_calls.merge(of_bulk_copies);
  for (ir::Function const& function : kernel.device) {
    TRY_ASSIGN(gpu::LaunchShape shape, gpu::launch_shape(function));
    gpu::SharedLayout shared = gpu::shared_layout(function, memory.alignment);
    MemoryUse use{memory.name, memory.bytes, shared.bytes, shared.parts, {}};
    if (use.overflows()) return std::unexpected(overflow_of(use));
    bool is_given = shared.bytes > kMostDeclared;
    if (!is_given) shared.offsets.clear();
    TRY_ASSIGN(c_text::DeviceText text,
               c_text::print_device_function(dialect(), kernel_head(), function, shape.block,
                                             printed, shared.offsets, parts.own_calls));
    parts.functions.push_back({text.name, shape.block, std::move(shared.offsets)});
    parts.launched.push_back({text.name, std::move(shape), shared.bytes, is_given});
    parts.texts.push_back(std::move(text));
  }
  return parts;
}

CodeListing plain_listing(std::string const& key, std::string text) {
  if (!text.empty() && text.back() != '\n') text += '\n';
  CodeListing listing{key, std::move(text), {}};
  listing.source_line.resize(size_t(std::ranges::count(listing.text, '\n')));
  return listing;
}

void take_counts(Result<Assembled> const& assembled, LaunchReport& launch) {
  if (!assembled) {
    launch.not_counted = assembled.error().message;
    return;
  }
  auto own = std::ranges::find(assembled->functions, launch.function, &FunctionResources::function);
  if (own == assembled->functions.end()) {
    launch.not_counted = "ptxas did not say";
    return;
  }
  launch.registers = own->registers;
  launch.spill_bytes = own->spill_bytes;
  launch.stack_bytes = own->stack_bytes;
  launch.shared_bytes = std::max(launch.shared_bytes, own->shared_bytes);
}

class CudaBackend final : public Backend {
public:
  CudaBackend(Target target, Machine machine, gpu::Multiprocessor const& unit)
      : Backend(std::move(target)),
        machine_(std::move(machine)),
        unit_(unit),
        toolkit_(find_toolkit()),
        passes_(gpu::launch_passes(gpu::SmallLoops::kChosen)),
        model_passes_(gpu::model_passes()) {
    for (auto* passes : {&passes_, &model_passes_}) {
      add_product_passes(*passes);
      add_shuffle_passes(*passes);
      add_role_passes(*passes);
    }
  }

  std::span<Pass const> passes() const override { return passes_; }
  std::span<CodeTextKind const> texts() const override { return texts_; }
  std::string generator() const override {
    return "NVPTX of " + code_generator_version() + (toolkit_.ptxas.empty() ? "" : " with ptxas");
  }

  Result<Artifact> generate(ir::KernelIr const& kernel, CodeTier tier, CodeTexts texts,
                            StopToken stop) const override {
    if (tier == CodeTier::kChecked)
      return refused("not_supported", "PTX is not made with checks of every access");
    TRY(check_async_copies(kernel));
    TRY(check_shuffles(kernel));
    Artifact artifact;
    artifact.lowered = ir::print(kernel);
    TRY_ASSIGN(Parts parts, parts_of(kernel, artifact.lowered, *target().scope(kSharedScope)));
    llvm::LLVMContext context;
    TRY_ASSIGN(auto module, build_device_module(kernel, artifact.lowered, machine_, nvptx_kind(),
                                                parts.functions, parts.own_calls, context));
    TRY_ASSIGN(Emitted emitted, machine_.generate(*module, CodeTier::kFull, texts, stop));
    take_room(emitted);
    artifact.symbol = "tw_kernel_" + kernel.host.name;
    artifact.workspace_bytes = workspace_bytes(kernel);
    std::vector<gpu::LaunchedCode> launched;
    for (LaunchedFunction const& one : parts.launched)
      launched.push_back({one.name, true, one.is_given ? one.shared_bytes : 0});
    TRY_ASSIGN(launch_record::KernelRecord record,
               gpu::record_of(kernel, artifact.symbol, launched));
    if (texts != CodeTexts::kNone) tell(artifact, kernel, parts, emitted);
    artifact.parts = {{kLaunchesPart, bytes_of(launch_record::to_text(record))},
                      {"ptx", std::move(emitted.object)}};
    return artifact;
  }

  /// The modules of all kernels, each by its kernel's name: PTX of several is no PTX.
  Result<std::vector<std::byte>> link(std::span<CodeParts const> kernels) const override {
    std::string records;
    std::vector<LibraryPart> parts;
    std::vector<std::string> names;
    names.reserve(kernels.size());
    for (CodeParts const& kernel : kernels) {
      records += text_of(kernel[0].bytes) + "\n";
      names.push_back(ptx_part(names.size()));
      parts.push_back({names.back(), kernel[1].bytes});
    }
    parts.push_back({kLaunchesPart, std::as_bytes(std::span(records))});
    return join_parts(parts);
  }

  Result<GraphChoices> choose_layouts(Graph const& graph, Decisions& decisions) const override {
    return gpu::choose_algorithms(graph, decisions, times_);
  }
  Result<Schedule> templated(ir::Program const& program, Decisions& decisions) const override {
    Decisions asked = decisions;
    if (auto made = matrix_schedule(program, shared_target(), asked, judge_)) {
      decisions = std::move(asked);
      return *made;
    }
    return gpu::schedule_by_rule(program, shared_target(), 256, decisions, judge_);
  }
  Result<RoofProbes> roof_probes() const override {
    return refused("no_roofs", "a GPU's roofs follow from its description");
  }
  std::optional<analysis::TimeModel> model_time(ir::Program const& program,
                                                analysis::Locality const&,
                                                Roofs const& roofs) const override {
    auto rates = rates_of(target().hardware, roofs);
    auto time = rates ? time_of(program, *rates) : std::nullopt;
    if (!time) return {};
    return std::move(time->model);
  }

  bool has_timeline() const override { return true; }
  Result<Timeline> timeline(ir::Program const& program, StopToken) const override {
    TRY_ASSIGN(gpu::Rates rates, described_rates());
    TRY_ASSIGN(std::vector<LoweredStage> stages,
               lower(program, target(), passes(), environment_lower_options()));
    return gpu::kernel_timeline(target(), stages.back().kernel, unit_, rates);
  }

  bool has_launches() const override { return true; }
  Result<KernelLaunches> launches(ir::Program const& program, bool assembled,
                                  StopToken stop) const override {
    TRY_ASSIGN(std::vector<LoweredStage> stages,
               lower(program, target(), passes(), environment_lower_options()));
    ir::KernelIr const& kernel = stages.back().kernel;
    ir::PrintedProgram printed = ir::print(kernel);
    TRY_ASSIGN(Parts parts, parts_of(kernel, printed, *target().scope(kSharedScope)));
    gpu::Warps const warps{unit_.warp, kTensorAlignment, matrix_accesses(parts.own_calls)};
    KernelLaunches made{.unit = unit_, .units = target().hardware.unit().count, .launches = {}};
    for (size_t i = 0; i < parts.launched.size(); ++i) {
      LaunchedFunction const& one = parts.launched[i];
      made.launches.push_back(
          gpu::launch_report(one.name, kernel.device[i], one.shape, printed, warps));
      made.launches.back().shared_bytes = one.shared_bytes;
    }
    if (assembled) TRY(count_registers(kernel, printed, parts, made, stop));
    return made;
  }

private:
  /// Where ptxas would spill. What is shown is what is assembled and what runs.
  void take_room(Emitted& emitted) const {
    std::string ptx = text_of(emitted.object);
    Room const room = room_without_spills(toolkit_, ptx, target().hardware.word(kArchitecture));
    if (room.empty()) return;
    emitted.object = bytes_of(with_room(std::move(ptx), room));
    emitted.assembly = with_room(std::move(emitted.assembly), room);
  }

  /// As ptxas counts them; where there is none, each launch says so.
  Status count_registers(ir::KernelIr const& kernel, ir::PrintedProgram const& printed,
                         Parts const& parts, KernelLaunches& made, StopToken stop) const {
    llvm::LLVMContext context;
    TRY_ASSIGN(auto module, build_device_module(kernel, printed, machine_, nvptx_kind(),
                                                parts.functions, parts.own_calls, context));
    TRY_ASSIGN(Emitted emitted,
               machine_.generate(*module, CodeTier::kFull, CodeTexts::kNone, stop));
    take_room(emitted);
    auto counted = assemble({toolkit_.ptxas, {}}, text_of(emitted.object),
                            target().hardware.word(kArchitecture));
    for (LaunchReport& launch : made.launches) take_counts(counted, launch);
    return {};
  }

  void tell(Artifact& artifact, ir::KernelIr const& kernel, Parts const& parts,
            Emitted& emitted) const {
    std::string architecture = target().hardware.word(kArchitecture);
    auto assembled = assemble(toolkit_, text_of(emitted.object), architecture);
    std::string sass = assembled ? assembled->sass : assembled.error().message;
    if (sass.empty()) sass = "no nvdisasm was found: 'pip install nvidia-cuda-nvdisasm' brings it";
    c_text::Lines file = c_text::file_of(parts.texts);
    artifact.instructions = emitted.instructions;
    artifact.listings = {
        {texts_[0].key, std::move(file.text), std::move(file.source_line)},
        {texts_[1].key, std::move(emitted.assembly), std::move(emitted.source_line)},
        plain_listing(texts_[2].key, std::move(sass)),
        resources_listing(texts_[3].key, target().hardware, unit_, parts.launched, assembled),
        access_listing(texts_[4].key, kernel, shapes_of(parts), matrix_accesses(parts.own_calls),
                       artifact.lowered),
        time_listing(texts_[5].key, kernel, names_of(parts), unit_, described_rates(), assembled)};
  }

  std::optional<gpu::ProgramTime> time_of(ir::Program const& program,
                                          gpu::Rates const& rates) const {
    auto stages = lower(program, target(), model_passes_, {});
    if (!stages) return {};
    return gpu::program_time(stages->back().kernel.host, unit_, rates);
  }
  std::optional<double> default_seconds(ir::Program const& program) const {
    auto schedule = default_schedule(program);
    return schedule ? described_seconds(schedule->program()) : std::nullopt;
  }
  std::optional<double> described_seconds(ir::Program const& program) const {
    auto rates = described_rates();
    auto time = rates ? time_of(program, *rates) : std::nullopt;
    if (!time) return {};
    return time->model.seconds;
  }

  Result<gpu::Rates> described_rates() const {
    auto roofs = roofs_of(target().hardware);
    return rates_of(target().hardware, roofs.value_or(Roofs{}));
  }

  static std::vector<std::string> names_of(Parts const& parts) {
    std::vector<std::string> names;
    for (LaunchedFunction const& one : parts.launched) names.push_back(one.name);
    return names;
  }
  static std::vector<gpu::LaunchShape> shapes_of(Parts const& parts) {
    std::vector<gpu::LaunchShape> shapes;
    for (LaunchedFunction const& one : parts.launched) shapes.push_back(one.shape);
    return shapes;
  }

  std::array<CodeTextKind, 6> texts_ = {
      {{"cuda", "CUDA C", "the device functions as a person reads them; PTX is made beside them"},
       {"ptx", "PTX", "NVIDIA's virtual instructions, as LLVM generates them"},
       {"sass", "SASS", "the GPU's own instructions, as ptxas assembles them from PTX"},
       {"resources", "Resources",
        "registers, spills, shared memory, occupancy with what limits it, and waves"},
       {"access", "Memory access",
        "sectors of main memory and passes of shared memory of each access of a warp, from its "
        "index"},
       {"time", "Modelled time",
        "where the time of each launch goes by the model: work, waits, tail, bytes"}}};
  Machine machine_;
  gpu::Multiprocessor unit_;
  Toolkit toolkit_;
  std::vector<Pass> passes_, model_passes_;
  gpu::Judge judge_{[this](ir::Program const& program) { return described_seconds(program); }};
  gpu::DefaultTimes times_{[this](ir::Program const& program) { return default_seconds(program); }};
};

std::vector<ThreadAxis> axes() {
  return {{"threadIdx.x", kThreads},
          {"threadIdx.y", kThreads},
          {"threadIdx.z", 64},
          {"blockIdx.x", INT32_MAX, Level::kBlock},
          {"blockIdx.y", 65535, Level::kBlock},
          {"blockIdx.z", 65535, Level::kBlock},
          {"vthread", 16, Level::kThread, true, true}};
}

}  // namespace

Result<std::shared_ptr<Backend const>> create_cuda_backend(Hardware const& hardware,
                                                           std::string generator) {
  TRY_ASSIGN(gpu::Multiprocessor unit, multiprocessor_of(hardware));
  TRY_ASSIGN(Machine machine,
             create_nvptx_machine(hardware.word(kArchitecture), std::move(generator)));
  TRY_ASSIGN(
      ir::Intrinsic barrier,
      ir::declare({.name = kBarrierName, .doc = "all threads of the block meet", .barrier = true}));
  Target target{
      .name = kCudaTarget,
      .hardware = hardware,
      .title = fmt::format("CUDA · {} · {}", hardware.name, hardware.word(kArchitecture)),
      .needs = {.architecture = hardware.word(kArchitecture), .processor = {}, .features = {}},
      .scopes = {{.name = kGlobalScope,
                  .doc = "the GPU's main memory, through L2",
                  .alignment = kTensorAlignment},
                 {.name = kSharedScope,
                  .doc = "shared memory: what the threads of a block have together",
                  .bytes = unit.shared_per_block,
                  .shared_by = Level::kBlock},
                 {.name = "local",
                  .doc = "registers of one thread, where they suffice",
                  .shared_by = Level::kThread}},
      .axes = axes(),
      .threads_per_block = kThreads,
      .barrier = barrier,
      .sums_over_threads = true,
      .types = {DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kI8, DType::kU8,
                DType::kI16, DType::kU16, DType::kI32, DType::kU32, DType::kI64, DType::kU64,
                DType::kBool}};
  add_warp_shuffles(target);
  if (capability_of(hardware) >= kAmpere) {
    add_warpgroup_units(target, hardware.word(kArchitecture));
    add_matrix_units(target);
    add_async_copies(target);
    add_phase_barriers(target);
  }
  if (capability_of(hardware) >= kHopper) add_bulk_copies(target);
  return std::make_shared<CudaBackend>(std::move(target), std::move(machine), unit);
}

}  // namespace tw::cuda
