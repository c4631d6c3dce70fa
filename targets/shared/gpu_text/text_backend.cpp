#include "targets/shared/gpu_text/text_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "engine/ir/intrinsic.h"
#include "engine/runtime/library_parts.h"
#include "targets/shared/gpu/algorithms.h"
#include "targets/shared/gpu/launch_report.h"
#include "targets/shared/gpu/launch_shape.h"
#include "targets/shared/gpu/passes.h"
#include "targets/shared/gpu/record_of.h"
#include "targets/shared/gpu/rules.h"
#include "targets/shared/gpu/shared_layout.h"
#include "targets/shared/gpu_text/listings.h"
#include "targets/shared/launch_record/library_names.h"

namespace tw::gpu_text {
namespace {

using launch_record::kLaunchesPart, launch_record::kSourcePart;

constexpr std::string_view kHelper = "helper ";
constexpr int64_t kMostBlocks = INT32_MAX;  // of a grid, along an axis

std::vector<std::byte> bytes_of(std::string_view text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::string text_of(CodePart const& part) {
  return {reinterpret_cast<char const*>(part.bytes.data()), part.bytes.size()};
}

/// Bytes that tensors begin at multiples of, as arenas have it.
constexpr int64_t kTensorAlignment = 64;

class TextBackend final : public Backend {
public:
  TextBackend(Target target, TextGpu gpu)
      : Backend(std::move(target)),
        gpu_(std::move(gpu)),
        texts_{gpu_.text,
               {"launches", "Launches",
                "what the host does: the functions that it launches, with their blocks and "
                "threads"}},
        passes_(gpu::launch_passes(gpu::SmallLoops::kLeft)) {}

  std::span<Pass const> passes() const override { return passes_; }
  std::span<CodeTextKind const> texts() const override { return texts_; }
  std::string generator() const override { return gpu_.generator; }

  Result<Artifact> generate(ir::KernelIr const& kernel, CodeTier tier, CodeTexts texts,
                            StopToken) const override {
    if (tier == CodeTier::kChecked)
      return refused("not_supported", fmt::format("{} is not printed with checks of every access",
                                                  gpu_.dialect->name));
    Artifact artifact;
    artifact.lowered = ir::print(kernel);
    TRY_ASSIGN(std::vector<c_text::DeviceText> functions, printed(kernel, artifact.lowered));
    std::vector<gpu::LaunchedCode> made;
    for (c_text::DeviceText const& one : functions) made.push_back({one.name, one.names_fault});
    artifact.symbol = "tw_kernel_" + kernel.host.name;
    artifact.workspace_bytes = workspace_bytes(kernel);
    TRY_ASSIGN(launch_record::KernelRecord record, gpu::record_of(kernel, artifact.symbol, made));
    artifact.parts = parts_of(record, functions);
    if (texts == CodeTexts::kNone) return artifact;
    artifact.listings = {text_listing(functions),
                         launches_listing(texts_[1].key, kernel, artifact.lowered)};
    return artifact;
  }

  Result<std::vector<std::byte>> link(std::span<CodeParts const> kernels) const override {
    std::map<std::string, std::string> helpers;
    std::string records, functions;
    for (CodeParts const& kernel : kernels)
      for (CodePart const& part : kernel)
        if (part.name == kLaunchesPart)
          records += text_of(part) + "\n";
        else if (part.name == kSourcePart)
          functions += text_of(part);
        else
          helpers[part.name] = text_of(part);
    std::string source = gpu_.prologue + source_file(helpers, functions);
    std::array<LibraryPart, 2> parts{{{kLaunchesPart, std::as_bytes(std::span(records))},
                                      {kSourcePart, std::as_bytes(std::span(source))}}};
    return join_parts(parts);
  }

  /// Nothing is known of times: transformed tiles are for those who ask for them.
  Result<GraphChoices> choose_layouts(Graph const& graph, Decisions& decisions) const override {
    return gpu::choose_algorithms(graph, decisions, {});
  }
  Result<Schedule> templated(ir::Program const& program, Decisions& decisions) const override {
    constexpr int64_t kThreads = 64;
    return gpu::schedule_by_rule(program, shared_target(), std::min(gpu_.threads, kThreads),
                                 decisions, {});
  }
  Result<RoofProbes> roof_probes() const override { return refused("no_roofs", gpu_.no_roofs); }
  std::optional<analysis::TimeModel> model_time(ir::Program const&, analysis::Locality const&,
                                                Roofs const&) const override {
    return {};
  }

  bool has_launches() const override { return gpu_.warp > 0; }
  Result<KernelLaunches> launches(ir::Program const& program, bool, StopToken) const override {
    TRY_ASSIGN(std::vector<LoweredStage> stages,
               lower(program, target(), passes(), environment_lower_options()));
    ir::KernelIr const& kernel = stages.back().kernel;
    ir::PrintedProgram printed = ir::print(kernel);
    KernelLaunches made{.unit = {.warp = gpu_.warp, .max_threads = int(gpu_.threads)},
                        .units = target().hardware.unit().count,
                        .no_occupancy = gpu_.no_occupancy,
                        .launches = {}};
    for (ir::Function const& function : kernel.device) {
      TRY_ASSIGN(gpu::LaunchShape shape, gpu::launch_shape(function));
      LaunchReport launch = gpu::launch_report(function.name, function, shape, printed,
                                               {gpu_.warp, kTensorAlignment});
      launch.shared_bytes =
          gpu::shared_layout(function, target().scope(kSharedScope)->alignment).bytes;
      launch.not_counted = gpu_.no_occupancy;
      for (LaunchAccess& access : launch.accesses)
        if (access.shared && access.undecided.empty()) leave_open(access);
      made.launches.push_back(std::move(launch));
    }
    return made;
  }

private:
  Result<std::vector<c_text::DeviceText>> printed(ir::KernelIr const& kernel,
                                                  ir::PrintedProgram const& lowered) const {
    std::vector<c_text::DeviceText> functions;
    for (ir::Function const& function : kernel.device) {
      TRY_ASSIGN(gpu::LaunchShape shape, gpu::launch_shape(function));
      TRY_ASSIGN(
          c_text::DeviceText text,
          c_text::print_device_function(*gpu_.dialect, *gpu_.head, function, shape.block, lowered));
      if (text.parameters > gpu_.most_parameters)
        return refused(
            "not_supported",
            fmt::format("{} has {} parameters, and a function in {} has at most {}", text.name,
                        text.parameters, gpu_.dialect->name, gpu_.most_parameters));
      functions.push_back(std::move(text));
    }
    return functions;
  }

  CodeListing text_listing(std::vector<c_text::DeviceText> const& functions) const {
    c_text::Lines file = c_text::file_of(functions);
    auto lines = size_t(std::ranges::count(gpu_.prologue, '\n'));
    file.source_line.insert(file.source_line.begin(), lines, 0);
    return {texts_[0].key, gpu_.prologue + file.text, std::move(file.source_line)};
  }

  /// Its passes were counted with the banks of another maker's memory.
  void leave_open(LaunchAccess& access) const {
    access.undecided = gpu_.no_banks;
    access.average = access.least = access.most = access.ideal = 0;
    access.request = {};
  }

  static CodeParts parts_of(launch_record::KernelRecord const& record,
                            std::vector<c_text::DeviceText> const& functions) {
    CodeParts parts{{kLaunchesPart, bytes_of(launch_record::to_text(record))}};
    std::map<std::string, std::string> helpers;
    std::string source;
    for (c_text::DeviceText const& function : functions) {
      source += function.lines.text;
      helpers.insert(function.helpers.begin(), function.helpers.end());
    }
    parts.push_back({kSourcePart, bytes_of(source)});
    for (auto const& [name, text] : helpers)
      parts.push_back({std::string(kHelper) + name, bytes_of(text)});
    return parts;
  }

  TextGpu gpu_;
  std::array<CodeTextKind, 2> texts_;
  std::vector<Pass> passes_;
};

std::vector<ThreadAxis> axes_of(TextGpu const& gpu) {
  std::vector<ThreadAxis> axes;
  for (char const* axis : {"threadIdx.x", "threadIdx.y", "threadIdx.z"})
    axes.push_back({axis, gpu.threads});
  for (char const* axis : {"blockIdx.x", "blockIdx.y", "blockIdx.z"})
    axes.push_back({axis, kMostBlocks, Level::kBlock});
  axes.push_back({"vthread", 16, Level::kThread, true, true});
  return axes;
}

std::vector<DType> types_of(TextGpu const& gpu) {
  std::vector<DType> types{DType::kF32, DType::kI8,  DType::kU8,  DType::kI16, DType::kU16,
                           DType::kI32, DType::kU32, DType::kI64, DType::kU64, DType::kBool};
  if (!gpu.dialect->narrow.from_half.empty())
    types.insert(types.end(), {DType::kF16, DType::kBF16});
  if (gpu.doubles) types.push_back(DType::kF64);
  return types;
}

}  // namespace

Result<std::shared_ptr<Backend const>> create_text_backend(Hardware const& hardware, TextGpu gpu) {
  TRY_ASSIGN(ir::Intrinsic barrier,
             ir::declare({.name = gpu.barrier, .doc = gpu.barrier_doc, .barrier = true}));
  Target target{.name = gpu.target,
                .hardware = hardware,
                .title = gpu.title,
                .needs = {.architecture = gpu.target, .processor = {}, .features = {}},
                .scopes = {{.name = kGlobalScope, .doc = "the device's main memory"},
                           {.name = kSharedScope,
                            .doc = gpu.shared_doc,
                            .bytes = gpu.block_bytes,
                            .shared_by = Level::kBlock},
                           {.name = "local", .doc = gpu.local_doc, .shared_by = Level::kThread}},
                .axes = axes_of(gpu),
                .threads_per_block = gpu.threads,
                .barrier = barrier,
                .sums_over_threads = true,
                .types = types_of(gpu)};
  return std::make_shared<TextBackend>(std::move(target), std::move(gpu));
}

}  // namespace tw::gpu_text
