// The scratchpad machine as a target: its schedules by rule, its passes, and code that is the text
// of the lowered kernel, which its device interprets.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/backend/target_table.h"
#include "engine/ir/rewrite.h"
#include "engine/lowering/passes.h"
#include "engine/schedule/names.h"
#include "engine/schedule/trace.h"
#include "tests/support/blocks_everywhere.h"
#include "tests/support/interpreted_code.h"
#include "tests/targets/scratchpad/compiler/instructions.h"
#include "tests/targets/scratchpad/compiler/simulation.h"
#include "tests/targets/scratchpad/compiler/split_biases.h"
#include "tests/targets/scratchpad/scratchpad.h"

namespace tw {
namespace {

using namespace scratchpad;

constexpr int64_t kLayoutBlock = 4;

std::vector<Pass> scratchpad_passes() {
  return {
      hoist_reduction_init(),
      lower_blocks(),
      simplify_kernel().because(
          "before tensors shrink: indices in their simplest form show their reach"),
      compact_tensors(),
      interleave_virtual_threads(),
      insert_async_waits(),
      insert_mode_switches(),
      check_target(),
  };
}

/// Those of every target, and one more before layouts are chosen.
std::vector<GraphPass> scratchpad_graph_passes() {
  std::span<GraphPass const> shared = tw::graph_passes();
  std::vector<GraphPass> passes(shared.begin(), shared.end());
  passes.insert(std::ranges::find(passes, "choose_layouts", &GraphPass::name), split_biases());
  return passes;
}

/// What the blocks of a program compute is computed in the pad: what they read is copied there
/// before, what they write is copied out after; and what an instruction does, it does.
class InThePad {
public:
  explicit InThePad(Schedule schedule) : schedule_(std::move(schedule)) {}

  Schedule shaped() {
    std::vector<std::string> blocks;
    for (ir::BlockSite const& site : ir::blocks_of(schedule_.program().body))
      blocks.push_back(site.block->name);
    for (std::string const& block : blocks) {
      shape(block);
      fit_the_unit(block);
    }
    for (std::string const& block : products_) use_the_unit(block);
    copy_by_instruction();
    return schedule_;
  }

private:
  bool step(std::string const& line) {
    auto parsed = parse_step(line);
    auto next = parsed ? schedule_.apply(*parsed) : std::unexpected(Refusal{});
    if (next) schedule_ = std::move(*next);
    return bool(next);
  }
  void shape(std::string const& block) {
    std::set<std::string> read;
    for (ir::BlockSite const& site : ir::blocks_of(schedule_.program().body))
      if (site.block->name == block)
        ir::walk_reads(site.block->body, [&](ir::Touched const& at) {
          if (at.buffer->scope != kPad) read.insert(at.buffer->name);
        });
    if (!step(fmt::format("cache_write({}, scope={})", block, kPad)))
      step(fmt::format("set_scope({}, scope={})", block, kPad));
    for (std::string const& tensor : read)
      if (tensor != block)
        step(fmt::format("cache_read({}, tensor={}, scope={})", block, tensor, kPad));
  }
  /// A product whose extents are multiples of the unit's is cut into its pieces.
  void fit_the_unit(std::string const& block) {
    std::vector<std::string> loops;
    for (ir::BlockSite const& site : ir::blocks_of(schedule_.program().body)) {
      if (site.block->name != block || site.loops.size() != 3 || !site.block->init) continue;
      for (ir::For const* one : site.loops)
        if (ir::as_int(one->extent).value_or(1) % kUnit == 0) loops.push_back(one->name());
    }
    if (loops.size() != 3) return;
    std::string outer, inner;
    for (std::string const& one : loops) {
      if (!step(fmt::format("{0}.0, {0}.1 = split({1}.{0}, factor={2})", one, block, kUnit)))
        return;
      outer += fmt::format("{}.{}.0, ", block, one);
      inner += fmt::format("{}{}.{}.1", inner.empty() ? "" : ", ", block, one);
    }
    if (step(fmt::format("reorder({}{})", outer, inner)) &&
        step(fmt::format("decompose_reduction({}.{}.0)", block, loops[0])))
      products_.push_back(block);
  }
  void use_the_unit(std::string const& block) {
    ir::BlockSite const site = *find_block(schedule_.program(), block);
    std::string top = reference_of(schedule_.program(), site.loops.at(3)->id);
    step(fmt::format("tensorize({}, intrinsic=mma)", top));
  }
  /// Rows that are copied.
  void copy_by_instruction() {
    std::vector<std::pair<ir::LoopId, std::string>> rows;
    for (ir::BlockSite const& site : ir::blocks_of(schedule_.program().body)) {
      auto const* store = site.block->body.as<ir::Store>();
      std::string copy = store ? copy_of(store->buffer->type) : "";
      if (!site.loops.empty() && !copy.empty() && store->value.as<ir::Load>())
        rows.emplace_back(site.loops.back()->id, copy);
    }
    for (auto const& [loop, copy] : rows)
      step(fmt::format("tensorize({}, intrinsic={})", reference_of(schedule_.program(), loop),
                       copy));
  }
  Schedule schedule_;
  std::vector<std::string> products_;  ///< cut into pieces for the unit
};

class ScratchpadBackend final : public Backend {
public:
  explicit ScratchpadBackend(Target target)
      : Backend(std::move(target)),
        passes_(scratchpad_passes()),
        graph_passes_(scratchpad_graph_passes()) {}

  /// Blocks of four, and a product for every third convolution: what no other target asks for.
  Result<GraphChoices> choose_layouts(Graph const& graph, Decisions&) const override {
    return testing::blocks_everywhere(graph, kLayoutBlock);
  }
  std::span<GraphPass const> graph_passes() const override { return graph_passes_; }
  std::span<Pass const> passes() const override { return passes_; }
  std::span<CodeTextKind const> texts() const override { return texts_; }
  std::string generator() const override { return "scratchpad 1"; }

  Result<Artifact> generate(ir::KernelIr const& kernel, CodeTier tier, CodeTexts texts,
                            StopToken) const override {
    if (tier == CodeTier::kChecked)
      return refused("not_supported", "the scratchpad machine checks every access anyway");
    return testing::interpreted_artifact(kernel, texts, texts_[0].key);
  }
  Result<std::vector<std::byte>> link(std::span<CodeParts const> kernels) const override {
    return testing::interpreted_library(kMagic, kernels);
  }
  Result<Schedule> templated(ir::Program const& program, Decisions&) const override {
    return InThePad(Schedule(program, shared_target())).shaped();
  }
  Result<RoofProbes> roof_probes() const override {
    return refused("no_roofs", "nobody knows how fast a scratchpad machine could be");
  }

  std::optional<analysis::TimeModel> model_time(ir::Program const&, analysis::Locality const&,
                                                Roofs const&) const override {
    return {};
  }
  bool has_timeline() const override { return true; }
  Result<Timeline> timeline(ir::Program const& program, StopToken stop) const override {
    TRY_ASSIGN(std::vector<LoweredStage> stages, lower(program, target(), passes_));
    return simulate(stages.back().kernel, std::move(stop));
  }

private:
  std::array<CodeTextKind, 1> texts_ = {
      {{"microcode", "Microcode", "what the machine goes through, line by line"}}};
  std::vector<Pass> passes_;
  std::vector<GraphPass> graph_passes_;
};

std::vector<MemoryScope> memories() {
  MemoryScope pad{.name = kPad, .doc = "where it computes", .bytes = kPadBytes};
  MemoryScope inputs{.name = kInputs,
                     .doc = "what the matrix unit multiplies",
                     .bytes = kOperandBytes,
                     .reach = IndexBounds::kCopies};
  MemoryScope weights = inputs;
  weights.name = kWeights;
  weights.doc = "by what the matrix unit multiplies";
  for (MemoryScope* one : {&pad, &inputs, &weights}) one->shared_by = Level::kAccelerator;
  return {{.name = kGlobalScope, .doc = "main memory", .reach = IndexBounds::kCopies},
          pad,
          inputs,
          weights};
}

}  // namespace

TargetEntry const& target_scratchpad() {
  static TargetEntry const entry{
      .name = kName,
      .spellings = [] { return std::vector<std::string>{kName}; },
      .hardware = [](std::string const&) -> Result<Hardware> { return hardware(); },
      .matches = [](Hardware const& machine) { return machine.target == kName; },
      .runs_here = [](MachineNeeds const&) -> Status {
        return bad_input("wrong_processor", "only a scratchpad machine's own device runs its code");
      },
      .create_backend = [](Hardware const& machine,
                           std::string) -> Result<std::shared_ptr<Backend const>> {
        return std::make_shared<ScratchpadBackend>(
            Target{.name = kName,
                   .hardware = machine,
                   .title = "scratchpad machine",
                   .scopes = memories(),
                   .axes = {{kTurns, 2, Level::kThread, true}},
                   .commit = commit_copies(),
                   .wait = wait_copies(),
                   .configure = {set_tile()},
                   .intrinsics = instructions(),
                   .types = {DType::kF32, DType::kI32, DType::kI64, DType::kBool}});
      },
  };
  return entry;
}

}  // namespace tw
