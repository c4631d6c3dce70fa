// What a block reads of a tensor in a few turns of its sums comes to memory that its threads share,
// brought by all of them together.
#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/stmt.h"
#include "engine/moves/launch.h"
#include "engine/schedule/names.h"
#include "engine/target/target.h"

namespace tw::moves::idea_shared_tiles {
namespace {

/// A bound nest as far as it matters here.
struct Bound {
  std::vector<std::pair<std::string, int64_t>> threads;  ///< axes with extents, x first
  NestLoop const* sum = nullptr;                         ///< the first loop that sums, in them
};

Bound bound_of(ir::Program const& program, BlockNest const& nest) {
  Bound bound;
  for (NestLoop const& loop : nest.loops) {
    std::string axis = site_of(program, loop.id).loop->bind;
    if (axis.starts_with("threadIdx.")) bound.threads.push_back({axis, loop.extent});
    bool serial = loop.kind == ir::LoopKind::kSerial;
    if (!bound.sum && loop.reduces && serial && !bound.threads.empty()) bound.sum = &loop;
  }
  std::ranges::sort(bound.threads);
  return bound;
}

/// The memory of a block; null: there is none.
MemoryScope const* memory_of_blocks(Target const& target) {
  auto found = std::ranges::find(target.scopes, Level::kBlock, &MemoryScope::shared_by);
  return found == target.scopes.end() ? nullptr : &*found;
}

/// The loops below `place` around the block that fills the tile: one, spread over all threads.
void fill(Draft& draft, std::string const& block, ir::LoopId place, Bound const& bound) {
  auto nest = nest_of(draft.schedule().program(), block);
  if (!nest) return;
  auto at = std::ranges::find(nest->loops, place, &NestLoop::id);
  std::vector<ir::LoopId> below;
  for (; at != nest->loops.end(); ++at)
    if (at->id != place) below.push_back(at->id);
  if (below.empty()) return;
  ir::LoopId rest = fuse(draft, below);
  for (auto const& [axis, extent] : bound.threads) {
    auto [outer, inner] = draft.split(rest, extent);
    bind(draft, inner, axis);
    if (outer == inner) return;
    rest = outer;
  }
}

void stage(Draft& draft, std::string const& block, std::string const& tensor,
           std::string const& scope, ir::LoopId place, Bound const& bound) {
  if (!draft.possible()) return;
  ir::Program before = draft.schedule().program();
  draft.step("cache_read", {block}, {{"tensor", tensor}, {"scope", scope}});
  if (!draft.possible()) return;
  std::string copy = added_block(before, draft.schedule().program());
  draft.step("compute_at", {copy, reference_of(draft.schedule().program(), place)});
  if (draft.possible()) fill(draft, copy, place, bound);
}

void offer_tensors(Scene const& scene, BlockNest const& nest, Bound const& bound, int64_t terms,
                   std::vector<std::string> const& tensors, Offering const& offering) {
  Draft draft(scene.schedule);
  ir::LoopId place = draft.split(bound.sum->id, terms).first;
  std::string names;
  for (std::string const& tensor : tensors) {
    stage(draft, nest.block, tensor, memory_of_blocks(scene.schedule.target())->name, place, bound);
    names += (names.empty() ? "" : " and ") + tensor;
  }
  offering({std::move(draft), nest.block,
            fmt::format("{} in memory that a block shares, {} of {} at a time", names,
                        std::min(terms, bound.sum->extent), bound.sum->name),
            tensors.size() == 1 ? tensors.front() : std::string()});
}

void offer(Scene const& scene, Offering const& offering) {
  if (!memory_of_blocks(scene.schedule.target())) return;
  ir::Program const& program = scene.schedule.program();
  for (BlockNest const& nest : scene.nests) {
    Bound bound = bound_of(program, nest);
    if (!bound.sum) continue;
    // What another block of this nest brings lies near already.
    std::vector<std::string> far;
    for (std::string const& tensor : nest.reads)
      if (!scene.writer_of(tensor) ||
          scene.writer_of(tensor)->loops.front().id != nest.loops.front().id)
        far.push_back(tensor);
    for (int64_t terms : {8, 16, 32}) {
      if (terms > 8 && terms > bound.sum->extent) break;
      for (std::string const& tensor : far)
        offer_tensors(scene, nest, bound, terms, {tensor}, offering);
      if (far.size() == 2) offer_tensors(scene, nest, bound, terms, far, offering);
    }
  }
}

}  // namespace

Idea const& row() {
  static Idea const idea{.name = "shared_tiles", .machines = Machines::kBlocks, .offer = offer};
  return idea;
}

}  // namespace tw::moves::idea_shared_tiles
