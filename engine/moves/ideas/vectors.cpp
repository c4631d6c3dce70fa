// Neighbouring elements of a result side by side in a vector: the loop over them becomes the
// innermost one, cut to whole vectors.
#include <fmt/format.h>

#include <algorithm>

#include "engine/moves/idea.h"

namespace tw::moves::idea_vectors {
namespace {

void offer_lanes(Scene const& scene, BlockNest const& nest, NestLoop const& loop, int64_t width,
                 Offering const& offering) {
  Draft draft(scene.schedule);
  ir::LoopId lanes = draft.split(loop.id, width).second;
  std::vector<ir::LoopId> order;
  bool below = false;
  for (NestLoop const& other : nest.loops) {
    if (below) order.push_back(other.id);
    below = below || other.id == loop.id;
  }
  if (!order.empty()) {
    order.push_back(lanes);
    draft.reorder(order);
  }
  draft.at("vectorize", lanes);
  offering({std::move(draft), nest.block,
            fmt::format("{} elements of {} at a time", std::min(width, loop.extent), loop.name)});
}

void offer(Scene const& scene, Offering const& offering) {
  for (BlockNest const& nest : scene.nests)
    for (NestLoop const& loop : nest.loops) {
      int64_t lanes = scene.lanes(nest);
      bool fits = loop.writes_neighbours && !loop.reduces && loop.kind == ir::LoopKind::kSerial;
      if (!fits || nest.marked() || loop.extent < 2 || lanes < 2) continue;
      for (int64_t width : {lanes, 2 * lanes})
        if (width == lanes || width <= loop.extent) offer_lanes(scene, nest, loop, width, offering);
    }
}

}  // namespace

Idea const& row() {
  static Idea const idea{.name = "vectors", .machines = Machines::kVectors, .offer = offer};
  return idea;
}

}  // namespace tw::moves::idea_vectors
