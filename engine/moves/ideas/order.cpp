// Two loops in the other order: what the inner one walks through stays in a nearer memory.
#include <fmt/format.h>

#include "engine/moves/idea.h"

namespace tw::moves::idea_order {
namespace {

bool may_move(NestLoop const& loop) {
  return loop.kind == ir::LoopKind::kSerial && loop.extent > 1;
}

void offer(Scene const& scene, Offering const& offering) {
  for (BlockNest const& nest : scene.nests)
    for (size_t i = 0; i < nest.loops.size(); ++i)
      for (size_t j = i + 1; j < nest.loops.size(); ++j) {
        NestLoop const &outer = nest.loops[i], &inner = nest.loops[j];
        if (!may_move(outer) || !may_move(inner) || !outer.alone) continue;
        Draft draft(scene.schedule);
        draft.reorder({inner.id, outer.id});
        offering({std::move(draft), nest.block,
                  fmt::format("{} outside of {}", inner.name, outer.name)});
      }
}

}  // namespace

Idea const& row() {
  static Idea const idea{.name = "order", .offer = offer};
  return idea;
}

}  // namespace tw::moves::idea_order
