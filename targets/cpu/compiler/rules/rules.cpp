#include "targets/cpu/compiler/rules/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/ir/rewrite.h"

namespace tw {
namespace {

using namespace ir;

std::optional<RuleStage> stage_of(BlockSite const& site) {
  RuleStage stage{site.block->name, site.block, {}, {}};
  for (size_t i = 0; i < site.loops.size() && i < site.block->iters.size(); ++i) {
    IterVar const& iter = site.block->iters[i];
    auto extent = as_int(site.loops[i]->extent);
    if (!extent || iter.kind == IterKind::kOrdered || iter.kind == IterKind::kOpaque)
      return std::nullopt;
    (iter.kind == IterKind::kReduce ? stage.reduce : stage.spatial)
        .push_back({site.loops[i]->name(), *extent});
  }
  return stage;
}

bool reads(RuleStage const& stage, std::string const& tensor) {
  bool found = false;
  walk_exprs(stage.node->body, [&](Expr const& e) {
    auto const* read = e.as<Load>();
    found = found || (read && read->buffer->name == tensor);
    return !found;
  });
  return found;
}

/// The only stage that reads what a reduction makes, if it reduces nothing itself.
RuleStage const* epilogue_of(RuleStage const& stage, std::vector<RuleStage> const& stages) {
  RuleStage const* found = nullptr;
  for (RuleStage const& other : stages) {
    if (other.block == stage.block || !reads(other, stage.block)) continue;
    if (found || !other.reduce.empty()) return nullptr;
    found = &other;
  }
  return found;
}

constexpr int64_t kFewTerms = 64;
constexpr int64_t kMostLines = 25;  // of a script that a person reads

/// A window that adds few terms (depthwise, pooling) waits for memory: its padded input is made
/// plane by plane, while the plane is in the nearest cache.
void pad_by_planes(Building& building, RuleStage const& stage, std::vector<RuleStage> const& stages,
                   int64_t width) {
  int64_t terms = 1;
  for (RuleAxis const& axis : stage.reduce) terms *= axis.extent;
  if (terms > kFewTerms || stage.spatial.size() < 3) return;
  for (RuleStage const& producer : stages) {
    if (!producer.reduce.empty() || !reads(stage, producer.block)) continue;
    std::string plane = stage.spatial[1].name;  // the channel, when the rule left it whole
    if (!building.step(fmt::format("compute_at({}, {})", producer.block, reference(stage, plane))))
      continue;
    std::vector<RuleAxis> loops = building.loops_below(producer.block, plane);
    if (loops.empty()) continue;
    RuleStage moved{producer.block, producer.node, {}, {}};
    auto [rest, lanes] = building.split(moved, loops.back(), lanes_for(loops.back().extent, width));
    building.step(fmt::format("vectorize({})", reference(moved, lanes)));
  }
}

std::string script_of(Program const& program, Target const& target, int split_sums, bool brief) {
  Building building(program, split_sums, brief);
  std::vector<RuleStage> stages;
  for (BlockSite const& site : blocks_of(program.body))
    if (auto stage = stage_of(site)) stages.push_back(std::move(*stage));
  std::set<std::string> done;
  for (RuleStage const& stage : stages) {
    if (done.contains(stage.block)) continue;
    auto const* store = stage.node->body.as<Store>();
    int64_t width = target.lanes(store ? store->buffer->type : DType::kF32);
    RuleStage const* epilogue = epilogue_of(stage, stages);
    if (stage.reduce.empty())
      elementwise_rule(building, stage, target, width);
    else if (reduction_rule(building, stage, epilogue, target, width))
      done.insert(epilogue->block);
    if (!stage.reduce.empty()) pad_by_planes(building, stage, stages, width);
  }
  return building.script();
}

}  // namespace

Result<std::string> cpu_default_script(Program const& program, Target const& target) {
  std::string script;
  for (auto [split_sums, brief] :
       {std::pair{8, false}, {8, true}, {2, true}, {1, true}, {0, true}}) {
    script = script_of(program, target, split_sums, brief);
    if (std::ranges::count(script, '\n') <= kMostLines) break;
  }
  return script;
}

}  // namespace tw
