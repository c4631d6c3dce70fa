// The threads of a block sum up one element together: each takes neighbouring terms in turns, and
// one of them adds up what they have in memory that the block shares.
#include <fmt/format.h>

#include <algorithm>

#include "engine/moves/launch.h"
#include "engine/schedule/names.h"

namespace tw::moves::idea_thread_sums {
namespace {

std::vector<ir::LoopId> results_of(Draft const& draft, std::string const& block) {
  std::vector<ir::LoopId> loops;
  if (auto nest = nest_of(draft.schedule().program(), block))
    for (NestLoop const& loop : nest->loops)
      if (!loop.reduces) loops.push_back(loop.id);
  return loops;
}

void offer_loop(Scene const& scene, BlockNest const& nest, NestLoop const& sum, int64_t threads,
                Offering const& offering) {
  Draft draft(scene.schedule);
  auto [turns, thread] = draft.split(sum.id, threads);
  draft.reorder({thread, turns});
  ir::Program before = draft.schedule().program();
  draft.at("rfactor", thread);
  if (!draft.possible()) return;
  std::string partial = added_block(before, draft.schedule().program());
  draft.step("set_scope", {partial}, {{"scope", std::string("shared")}});
  std::vector<ir::LoopId> results = results_of(draft, nest.block);
  if (!draft.possible() || results.empty()) return;
  ir::LoopId block = fuse(draft, results);
  bind(draft, block, "blockIdx.x");
  if (!draft.possible()) return;
  draft.step("compute_at", {partial, reference_of(draft.schedule().program(), block)});
  std::vector<ir::LoopId> own = results_of(draft, partial);
  if (!draft.possible() || own.empty()) return;
  bind(draft, own.back(), "threadIdx.x");
  offering({std::move(draft), nest.block,
            fmt::format("{} threads for each sum of {}, along {}", threads, nest.block, sum.name)});
}

void offer(Scene const& scene, Offering const& offering) {
  int64_t most = scene.schedule.target().threads_per_block;
  for (BlockNest const& nest : scene.nests) {
    if (!nest.sums || loops_to_bind(nest).empty()) continue;
    for (NestLoop const& loop : nest.loops)
      for (int64_t threads : {32, 128, 256})
        if (loop.reduces && loop.reads_neighbours && loop.extent >= 2 * threads &&
            (most == 0 || threads <= most))
          offer_loop(scene, nest, loop, threads, offering);
  }
}

}  // namespace

Idea const& row() {
  static Idea const idea{.name = "thread_sums", .machines = Machines::kBlocks, .offer = offer};
  return idea;
}

}  // namespace tw::moves::idea_thread_sums
