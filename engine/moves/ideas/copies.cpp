// A short innermost loop written out: its iterations are sums of their own, and nothing counts.
#include <fmt/format.h>

#include "engine/moves/idea.h"

namespace tw::moves::idea_copies {
namespace {

constexpr int64_t kMostCopies = 16;

void offer(Scene const& scene, Offering const& offering) {
  for (BlockNest const& nest : scene.nests)
    for (size_t i = nest.loops.size(); i-- > 0;) {
      NestLoop const& loop = nest.loops[i];
      if (loop.kind == ir::LoopKind::kVector || loop.kind == ir::LoopKind::kUnroll) continue;
      bool fits =
          loop.kind == ir::LoopKind::kSerial && loop.extent > 1 && loop.extent <= kMostCopies;
      if (fits) {
        Draft draft(scene.schedule);
        draft.at("unroll", loop.id);
        offering(
            {std::move(draft), nest.block, fmt::format("{} copies of {}", loop.extent, loop.name)});
      }
      break;  // only the innermost one that still is a loop
    }
}

}  // namespace

Idea const& row() {
  static Idea const idea{.name = "copies", .offer = offer};
  return idea;
}

}  // namespace tw::moves::idea_copies
