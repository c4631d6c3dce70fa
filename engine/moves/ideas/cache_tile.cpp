// A part of a loop whose data fits into a cache, and all loops around it run on that part before
// the next one comes.
#include <fmt/format.h>

#include "engine/analysis/locality.h"
#include "engine/moves/idea.h"

namespace tw::moves::idea_cache_tile {
namespace {

void offer_part(Scene const& scene, BlockNest const& nest, size_t at, MemoryLevel const& cache,
                analysis::Locality const& locality, Offering const& offering) {
  NestLoop const& loop = nest.loops[at];
  int64_t part = locality.largest_fit(loop.id, cache.bytes / 2);  // what comes next needs room
  if (part < 2 || part >= loop.extent) return;
  for (size_t outermost = 0; outermost < at; ++outermost) {
    if (!nest.loops[outermost].alone || nest.loops[outermost].kind != ir::LoopKind::kSerial)
      continue;
    Draft draft(scene.schedule);
    ir::LoopId outer = draft.split(loop.id, part).first;
    draft.reorder({outer, nest.loops[outermost].id});
    offering({std::move(draft), nest.block,
              fmt::format("{} iterations of {} at a time, whose data fits {}", part, loop.name,
                          cache.name)});
  }
}

void offer(Scene const& scene, Offering const& offering) {
  analysis::Locality locality(scene.schedule.program(), scene.hardware.line_bytes());
  for (BlockNest const& nest : scene.nests)
    for (size_t at = 1; at < nest.loops.size(); ++at) {
      if (nest.loops[at].kind != ir::LoopKind::kSerial || !nest.loops[at].alone) continue;
      for (MemoryLevel const& cache : scene.hardware.caches())
        if (cache.bytes > 0) offer_part(scene, nest, at, cache, locality, offering);
    }
}

}  // namespace

Idea const& row() {
  static Idea const idea{.name = "cache_tile", .machines = Machines::kVectors, .offer = offer};
  return idea;
}

}  // namespace tw::moves::idea_cache_tile
