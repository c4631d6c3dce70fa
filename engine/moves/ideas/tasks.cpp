// An outermost loop over independent results runs on all cores; where it has too few iterations it
// is fused with the next one first.
#include <fmt/format.h>

#include "engine/moves/idea.h"

namespace tw::moves::idea_tasks {
namespace {

constexpr int kTasksPerUnit = 4;  // fewer than this leave cores idle at the end

bool may_run_apart(NestLoop const& loop) {
  return !loop.reduces && loop.kind == ir::LoopKind::kSerial;
}

void offer_nest(Scene const& scene, BlockNest const& nest, Offering const& offering) {
  NestLoop const& outer = nest.loops.front();
  if (!may_run_apart(outer)) return;
  if (outer.extent > 1) {
    Draft draft(scene.schedule);
    draft.at("parallel", outer.id);
    offering({std::move(draft), nest.block,
              fmt::format("{} tasks, iterations of {}", outer.extent, outer.name)});
  }
  bool more = nest.loops.size() > 1 && may_run_apart(nest.loops[1]) &&
              outer.extent < int64_t(kTasksPerUnit) * scene.hardware.unit().count;
  if (!more) return;
  NestLoop const& inner = nest.loops[1];
  Draft draft(scene.schedule);
  draft.step("fuse", {outer.name, inner.name});
  if (!draft.possible()) return;
  draft.at("parallel", draft.schedule().last_cursors().at(outer.id).front());
  offering({std::move(draft), nest.block,
            fmt::format("{} tasks, iterations of {} and {}", outer.extent * inner.extent,
                        outer.name, inner.name)});
}

void offer(Scene const& scene, Offering const& offering) {
  if (scene.hardware.unit().count < 2) return;
  std::vector<ir::LoopId> seen;
  for (BlockNest const& nest : scene.nests) {
    if (nest.loops.empty() || (!seen.empty() && seen.back() == nest.loops.front().id)) continue;
    seen.push_back(nest.loops.front().id);
    offer_nest(scene, nest, offering);
  }
}

}  // namespace

Idea const& row() {
  static Idea const idea{.name = "tasks", .machines = Machines::kVectors, .offer = offer};
  return idea;
}

}  // namespace tw::moves::idea_tasks
