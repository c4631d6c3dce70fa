// The target's backend: C's passes, and two files of C for each library.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "engine/backend/target_table.h"
#include "engine/lowering/passes.h"
#include "engine/schedule/names.h"
#include "engine/schedule/trace.h"
#include "tests/support/interpreted_code.h"
#include "tests/support/parallel_everywhere.h"
#include "tests/targets/c_source/compiler/print.h"
#include "tests/targets/launches/compiler/compile.h"
#include "tests/targets/launches/compiler/cut.h"
#include "tests/targets/launches/launches.h"

namespace tw {
namespace {

using namespace launches;

constexpr std::string_view kHelper = "helper ";

/// Packs a kernel's buffers as the arguments of a device function.
constexpr char kStart[] =
    "static int32_t start(TwRuntime const* runtime, char const* name, uint32_t blocks,\n"
    "                     uint32_t threads, void* const* buffers, uint32_t count,\n"
    "                     TwStream stream) {\n"
    "  TwArgument arguments[count];\n"
    "  for (uint32_t i = 0; i < count; ++i)\n"
    "    arguments[i] = (TwArgument){kTwBuffer, i * sizeof(void*), sizeof(void*)};\n"
    "  TwLaunch how = {{blocks, 1, 1}, {threads, 1, 1}, 0, count, arguments, buffers};\n"
    "  TwFunction function;\n"
    "  TRY(runtime->get_function(runtime->device, runtime->module, name, &function));\n"
    "  return runtime->launch(runtime->device, function, &how, stream);\n"
    "}\n\n";
/// A parallel loop's tasks are spread over the threads that were started; what is parallel inside
/// of one goes on in it.
constexpr char kTurns[] =
    "typedef struct Turn { int64_t task; int32_t taken; } Turn;\n"
    "static int32_t own_task(void* pool, int64_t tasks, int32_t (*body)(void*, int64_t),\n"
    "                        void* closure) {\n"
    "  Turn* turn = pool;\n"
    "  int64_t first = turn->taken ? 0 : turn->task;\n"
    "  if (!turn->taken) tasks = first < tasks ? first + 1 : first;\n"
    "  turn->taken = 1;\n"
    "  for (int64_t i = first; i < tasks; ++i) {\n"
    "    int32_t code = body(closure, i);\n"
    "    if (code != 0) return code;\n"
    "  }\n"
    "  return 0;\n"
    "}\n\n";

/// Loops stay loops: a C compiler makes vectors and unrolls by itself.
std::vector<Pass> launches_passes() {
  return {
      hoist_reduction_init(),
      lower_blocks(),
      simplify_kernel().because("before tensors shrink: indices in their simplest form show reach"),
      compact_tensors().because("before tensors get places: these are as large as what is left"),
      check_target().because("before tensors get places: memories still have the target's names"),
      flatten_buffers().because("C's tensors are pointers: one offset each"),
      plan_workspace(),
  };
}

std::string text_of(CodePart const& part) {
  return {reinterpret_cast<char const*>(part.bytes.data()), part.bytes.size()};
}

std::string device_file(std::map<std::string, std::string> const& helpers,
                        std::string const& functions) {
  std::string file = std::string(c_source::kPrelude) + kDevicePrelude + kTurns;
  for (auto const& [name, text] : helpers) file += text + "\n";
  return file + functions;
}

/// The device's file, then the host's, which no line of the program stands for.
CodeListing listing_of(std::string const& key, LaunchedText const& text) {
  CodeListing listing{key, device_file(text.helpers, text.device), {}};
  auto lines = size_t(std::ranges::count(listing.text, '\n'));
  listing.source_line.resize(lines - text.source_line.size());
  listing.source_line.insert(listing.source_line.end(), text.source_line.begin(),
                             text.source_line.end());
  std::string host = std::string(kHostPrelude) + kStart + text.host;
  listing.source_line.resize(lines + size_t(std::ranges::count(host, '\n')));
  listing.text += host;
  return listing;
}

class LaunchesBackend final : public Backend {
public:
  explicit LaunchesBackend(Target target)
      : Backend(std::move(target)), passes_(launches_passes()) {}

  std::span<Pass const> passes() const override { return passes_; }
  std::span<CodeTextKind const> texts() const override { return texts_; }
  std::string generator() const override { return "C that is launched 1"; }

  Result<Artifact> generate(ir::KernelIr const& kernel, CodeTier tier, CodeTexts texts,
                            StopToken) const override {
    if (tier == CodeTier::kChecked)
      return refused("not_supported", "C is not printed with checks of every access");
    Artifact artifact;
    artifact.lowered = ir::print(kernel);
    TRY_ASSIGN(LaunchedText text, cut_into_launches(kernel, artifact.lowered));
    artifact.symbol = text.symbol;
    artifact.workspace_bytes = workspace_bytes(kernel);
    artifact.parts = {{kHostPart, testing::bytes_of(text.host)},
                      {kDevicePart, testing::bytes_of(text.device)}};
    for (auto const& [name, helper] : text.helpers)
      artifact.parts.push_back({std::string(kHelper) + name, testing::bytes_of(helper)});
    if (texts != CodeTexts::kNone) artifact.listings = {listing_of(texts_[0].key, text)};
    return artifact;
  }

  /// The parts of all kernels of a kind together: one for the host, one image for the device.
  Result<std::vector<std::byte>> link(std::span<CodeParts const> kernels) const override {
    std::map<std::string, std::string> helpers;
    std::string host = std::string(kHostPrelude) + kStart, device;
    for (CodeParts const& kernel : kernels)
      for (CodePart const& part : kernel)
        if (part.name == kHostPart)
          host += text_of(part);
        else if (part.name == kDevicePart)
          device += text_of(part);
        else
          helpers[part.name] = text_of(part);
    return compile_library(host, device_file(helpers, device));
  }

  Result<Schedule> templated(ir::Program const& program, Decisions&) const override {
    return testing::parallel_everywhere(Schedule(program, shared_target()));
  }
  Result<RoofProbes> roof_probes() const override {
    return refused("no_roofs", "how fast C could be depends on its compiler");
  }
  std::optional<analysis::TimeModel> model_time(ir::Program const&, analysis::Locality const&,
                                                Roofs const&) const override {
    return {};
  }

private:
  std::array<CodeTextKind, 1> texts_ = {
      {{"c", "C", "the functions of the device, and the host's that starts them"}}};
  std::vector<Pass> passes_;
};

Result<std::shared_ptr<Backend const>> create_launches_backend(Hardware const& machine,
                                                               std::string) {
  return std::make_shared<LaunchesBackend>(
      Target{.name = kName,
             .hardware = machine,
             .title = "machine that is started",
             .scopes = {{.name = kGlobalScope, .doc = "the device's memory"},
                        {.name = "local",
                         .doc = "the stack of the thread that computes, where it is small",
                         .shared_by = Level::kThread}},
             .types = {DType::kF32, DType::kF64, DType::kI8, DType::kU8, DType::kI16, DType::kU16,
                       DType::kI32, DType::kU32, DType::kI64, DType::kU64, DType::kBool}});
}

}  // namespace

TargetEntry const& target_launches() {
  static TargetEntry const entry{
      .name = kName,
      .spellings = [] { return std::vector<std::string>{kName}; },
      .hardware = [](std::string const&) -> Result<Hardware> { return hardware(); },
      .matches = [](Hardware const& machine) { return machine.target == kName; },
      .runs_here = [](MachineNeeds const&) -> Status {
        return bad_input("wrong_processor", "only the machine's own device runs its code");
      },
      .create_backend = create_launches_backend,
  };
  return entry;
}

}  // namespace tw
