#include "targets/opencl/compiler/opencl_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "engine/ir/intrinsic.h"
#include "engine/runtime/library_parts.h"
#include "targets/opencl/compiler/dialect.h"
#include "targets/opencl/compiler/listings.h"
#include "targets/opencl/hardware/description.h"
#include "targets/opencl/hardware/library_names.h"
#include "targets/shared/gpu/launch_shape.h"
#include "targets/shared/gpu/passes.h"
#include "targets/shared/gpu/record_of.h"
#include "targets/shared/gpu/rules.h"

namespace tw::opencl {
namespace {

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

class OpenClBackend final : public Backend {
public:
  OpenClBackend(Target target, Limits const& limits)
      : Backend(std::move(target)), limits_(limits), passes_(gpu::launch_passes()) {}

  std::span<Pass const> passes() const override { return passes_; }
  std::span<CodeTextKind const> texts() const override { return texts_; }
  std::string generator() const override { return "OpenCL C 1"; }

  Result<Artifact> generate(ir::KernelIr const& kernel, CodeTier tier, CodeTexts texts,
                            StopToken) const override {
    if (tier == CodeTier::kChecked)
      return refused("not_supported", "OpenCL C is not printed with checks of every access");
    Artifact artifact;
    artifact.lowered = ir::print(kernel);
    std::vector<c_text::DeviceText> functions;
    std::vector<gpu::LaunchedCode> made;
    for (ir::Function const& function : kernel.device) {
      TRY_ASSIGN(gpu::LaunchShape shape, gpu::launch_shape(function));
      TRY_ASSIGN(c_text::DeviceText text,
                 c_text::print_device_function(dialect(), kernel_head(), function, shape.block,
                                               artifact.lowered));
      made.push_back({text.name, text.names_fault});
      functions.push_back(std::move(text));
    }
    artifact.symbol = "tw_kernel_" + kernel.host.name;
    artifact.workspace_bytes = workspace_bytes(kernel);
    TRY_ASSIGN(launch_record::KernelRecord record, gpu::record_of(kernel, artifact.symbol, made));
    artifact.parts = parts_of(record, functions);
    if (texts == CodeTexts::kNone) return artifact;
    c_text::Lines file = c_text::file_of(functions);
    artifact.listings = {{texts_[0].key, std::move(file.text), std::move(file.source_line)},
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
    std::string source = source_file(helpers, functions);
    std::array<LibraryPart, 2> parts{{{kLaunchesPart, std::as_bytes(std::span(records))},
                                      {kSourcePart, std::as_bytes(std::span(source))}}};
    return join_parts(parts);
  }

  Result<Schedule> templated(ir::Program const& program, Decisions& decisions) const override {
    constexpr int64_t kThreads = 64;
    return gpu::schedule_by_rule(program, shared_target(), std::min(limits_.threads, kThreads),
                                 decisions);
  }
  Result<RoofProbes> roof_probes() const override {
    return refused("no_roofs", "no kernels are known yet that reach what an OpenCL device can do");
  }
  std::optional<analysis::TimeModel> model_time(ir::Program const&, analysis::Locality const&,
                                                Roofs const&) const override {
    return {};
  }

private:
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

  std::array<CodeTextKind, 2> texts_ = {
      {{"opencl", "OpenCL C",
        "what the device's own driver compiles, one function for each launch"},
       {"launches", "Launches",
        "what the host does: the functions that it launches, with their blocks and threads"}}};
  Limits limits_;
  std::vector<Pass> passes_;
};

std::vector<ThreadAxis> axes_of(Limits const& limits) {
  std::vector<ThreadAxis> axes;
  for (char const* axis : {"threadIdx.x", "threadIdx.y", "threadIdx.z"})
    axes.push_back({axis, limits.threads});
  for (char const* axis : {"blockIdx.x", "blockIdx.y", "blockIdx.z"})
    axes.push_back({axis, kMostBlocks, Level::kBlock});
  axes.push_back({"vthread", 16, Level::kThread, true, true});
  return axes;
}

std::vector<DType> types_of(Limits const& limits) {
  std::vector<DType> types{DType::kF32, DType::kI8,  DType::kU8,  DType::kI16, DType::kU16,
                           DType::kI32, DType::kU32, DType::kI64, DType::kU64, DType::kBool};
  if (limits.doubles) types.push_back(DType::kF64);
  return types;
}

}  // namespace

Result<std::shared_ptr<Backend const>> create_opencl_backend(Hardware const& hardware) {
  TRY_ASSIGN(Limits limits, limits_of(hardware));
  TRY_ASSIGN(ir::Intrinsic barrier, ir::declare({.name = kBarrierName,
                                                 .doc = "all threads of the work-group meet",
                                                 .barrier = true}));
  return std::make_shared<OpenClBackend>(
      Target{.name = kOpenClTarget,
             .hardware = hardware,
             .title = "OpenCL · " + hardware.name,
             .needs = {.architecture = kOpenClTarget, .processor = {}, .features = {}},
             .scopes = {{.name = kGlobalScope, .doc = "the device's main memory"},
                        {.name = kSharedScope,
                         .doc = "local memory: what the threads of a work-group share",
                         .bytes = limits.local_bytes,
                         .shared_by = Level::kBlock},
                        {.name = "local",
                         .doc = "private memory: registers of one thread, where they suffice",
                         .shared_by = Level::kThread}},
             .axes = axes_of(limits),
             .threads_per_block = limits.threads,
             .barrier = barrier,
             .sums_over_threads = true,
             .types = types_of(limits)},
      limits);
}

}  // namespace tw::opencl
