// C as a target: its schedules by rule, its passes, and texts that are its code.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "engine/backend/target_table.h"
#include "engine/lowering/passes.h"
#include "engine/schedule/names.h"
#include "engine/schedule/trace.h"
#include "tests/support/parallel_everywhere.h"
#include "tests/targets/c_source/c_source.h"
#include "tests/targets/c_source/compiler/print.h"

namespace tw {
namespace {

using namespace c_source;

constexpr char kKernelPart[] = "kernel";

/// Loops stay loops: a C compiler makes vectors and unrolls by itself.
std::vector<Pass> c_passes() {
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

CodePart part_of(std::string const& name, std::string const& text) {
  CodePart part{name, std::vector<std::byte>(text.size())};
  std::memcpy(part.bytes.data(), text.data(), text.size());
  return part;
}

std::string text_of(CodePart const& part) {
  return {reinterpret_cast<char const*>(part.bytes.data()), part.bytes.size()};
}

/// A whole file: what the texts name, then the helpers, each once, then the kernels.
std::string file_of(std::map<std::string, std::string> const& helpers, std::string const& kernels) {
  std::string file = std::string(kMagic) + kPrelude;
  for (auto const& [name, text] : helpers) file += text + "\n";
  return file + kernels;
}

class CBackend final : public Backend {
public:
  explicit CBackend(Target target) : Backend(std::move(target)), passes_(c_passes()) {}

  std::span<Pass const> passes() const override { return passes_; }
  std::span<CodeTextKind const> texts() const override { return texts_; }
  std::string generator() const override { return "C source 1"; }

  Result<Artifact> generate(ir::KernelIr const& kernel, CodeTier tier, CodeTexts texts,
                            StopToken) const override {
    if (tier == CodeTier::kChecked)
      return refused("not_supported", "C is not printed with checks of every access");
    Artifact artifact;
    artifact.lowered = ir::print(kernel);
    TRY_ASSIGN(CText c, print_c(kernel, artifact.lowered));
    artifact.symbol = c.symbol;
    artifact.workspace_bytes = workspace_bytes(kernel);
    for (auto const& [name, text] : c.helpers) artifact.parts.push_back(part_of(name, text));
    artifact.parts.push_back(part_of(kKernelPart, c.text));
    if (texts == CodeTexts::kNone) return artifact;
    CodeListing listing{texts_[0].key, file_of(c.helpers, c.text), {}};
    auto lines = size_t(std::ranges::count(listing.text, '\n'));
    listing.source_line.resize(lines - c.source_line.size());
    listing.source_line.insert(listing.source_line.end(), c.source_line.begin(),
                               c.source_line.end());
    artifact.listings = {std::move(listing)};
    return artifact;
  }

  Result<std::vector<std::byte>> link(std::span<CodeParts const> kernels) const override {
    std::map<std::string, std::string> helpers;
    std::string texts;
    for (CodeParts const& kernel : kernels)
      for (CodePart const& part : kernel)
        if (part.name == kKernelPart)
          texts += text_of(part);
        else
          helpers[part.name] = text_of(part);
    return part_of("library", file_of(helpers, texts)).bytes;
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
      {{"c", "C", "what the device's C compiler gets, each line linked to its line and loops"}}};
  std::vector<Pass> passes_;
};

Result<std::shared_ptr<Backend const>> create_c_backend(Hardware const& hardware, std::string) {
  return std::make_shared<CBackend>(
      Target{.name = kName,
             .hardware = hardware,
             .title = "C",
             .scopes = {{.name = kGlobalScope, .doc = "main memory"},
                        {.name = "local",
                         .doc = "the stack of the thread that computes, where it is small",
                         .shared_by = Level::kThread}},
             .types = {DType::kF32, DType::kF64, DType::kI8, DType::kU8, DType::kI16, DType::kU16,
                       DType::kI32, DType::kU32, DType::kI64, DType::kU64, DType::kBool}});
}

}  // namespace

TargetEntry const& target_c_source() {
  static TargetEntry const entry{
      .name = kName,
      .spellings = [] { return std::vector<std::string>{kName}; },
      .hardware = [](std::string const&) -> Result<Hardware> {
        return Hardware{.target = kName, .name = "any machine with a C compiler"};
      },
      .matches = [](Hardware const& hardware) { return hardware.target == kName; },
      .runs_here = [](MachineNeeds const&) -> Status {
        return bad_input("wrong_processor", "C runs on a device that compiles it");
      },
      .create_backend = create_c_backend,
  };
  return entry;
}

}  // namespace tw
