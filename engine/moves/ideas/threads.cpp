// One thread makes one element, in blocks of a row of threads or of a square of them; sums are in
// registers until they are done.
#include <fmt/format.h>

#include "engine/moves/launch.h"
#include "engine/schedule/names.h"

namespace tw::moves::idea_threads {
namespace {

constexpr int64_t kEdge = 16;  // of a square

void place_write(Draft& draft, std::string const& write, ir::LoopId thread) {
  if (write.empty() || !draft.possible()) return;
  draft.step("reverse_compute_at", {write, reference_of(draft.schedule().program(), thread)});
}

void offer_row(Scene const& scene, BlockNest const& nest, std::vector<NestLoop> const& loops,
               int64_t threads, Offering const& offering) {
  Draft draft(scene.schedule);
  std::string write = sum_in_registers(draft, nest);
  std::vector<ir::LoopId> ids;
  for (NestLoop const& loop : loops) ids.push_back(loop.id);
  ir::LoopId all = fuse(draft, ids);
  auto [block, thread] = draft.split(all, threads);
  place_write(draft, write, thread);
  if (block != thread) bind(draft, block, "blockIdx.x");
  bind(draft, thread, "threadIdx.x");
  offering({std::move(draft), nest.block,
            fmt::format("a thread for each element of {}, in blocks of {}", nest.block, threads)});
}

/// The last two loops in squares, all others as blocks.
void offer_square(Scene const& scene, BlockNest const& nest, std::vector<NestLoop> const& loops,
                  Offering const& offering) {
  size_t last = loops.size() - 1;
  if (loops[last].extent <= kEdge || loops[last - 1].extent <= kEdge) return;
  Draft draft(scene.schedule);
  std::string write = sum_in_registers(draft, nest);
  auto [by, ty] = draft.split(loops[last - 1].id, kEdge);
  auto [bx, tx] = draft.split(loops[last].id, kEdge);
  std::vector<ir::LoopId> outer;
  for (size_t i = 0; i + 2 < loops.size(); ++i) outer.push_back(loops[i].id);
  draft.reorder({by, bx, ty, tx});
  place_write(draft, write, tx);
  if (!outer.empty()) bind(draft, fuse(draft, outer), "blockIdx.z");
  bind(draft, by, "blockIdx.y");
  bind(draft, bx, "blockIdx.x");
  bind(draft, ty, "threadIdx.y");
  bind(draft, tx, "threadIdx.x");
  offering({std::move(draft), nest.block,
            fmt::format("a thread for each element of {}, in blocks of {} x {}", nest.block, kEdge,
                        kEdge)});
}

void offer(Scene const& scene, Offering const& offering) {
  int64_t most = scene.schedule.target().threads_per_block;
  for (BlockNest const& nest : scene.nests) {
    std::vector<NestLoop> loops = loops_to_bind(nest);
    if (loops.empty()) continue;
    for (int64_t threads : {32, 64, 128, 256})
      if (most == 0 || threads <= most) offer_row(scene, nest, loops, threads, offering);
    bool fits = most == 0 || kEdge * kEdge <= most;
    if (loops.size() > 1 && fits) offer_square(scene, nest, loops, offering);
  }
}

}  // namespace

Idea const& row() {
  static Idea const idea{.name = "threads", .machines = Machines::kBlocks, .offer = offer};
  return idea;
}

}  // namespace tw::moves::idea_threads
