// A thread makes a square of sums in its registers, a block a square of threads: what a thread
// loads serves a row or a column of its sums.
#include <fmt/format.h>

#include "engine/moves/launch.h"
#include "engine/schedule/names.h"

namespace tw::moves::idea_thread_tiles {
namespace {

struct Tile {
  int64_t block, own;  ///< rows and columns of a block, and of a thread
};
constexpr Tile kTiles[] = {{32, 2}, {32, 4}, {64, 4}, {128, 8}};

void offer_tile(Scene const& scene, BlockNest const& nest, std::vector<NestLoop> const& loops,
                Tile const& tile, Offering const& offering) {
  size_t last = loops.size() - 1;
  Draft draft(scene.schedule);
  std::string write = sum_in_registers(draft, nest);
  auto [by, rows] = draft.split(loops[last - 1].id, tile.block);
  auto [bx, columns] = draft.split(loops[last].id, tile.block);
  auto [ty, i] = draft.split(rows, tile.own);
  auto [tx, j] = draft.split(columns, tile.own);
  std::vector<ir::LoopId> order{by, bx, ty, tx}, outer;
  for (size_t at = 0; at + 2 < loops.size(); ++at) outer.push_back(loops[at].id);
  for (NestLoop const& loop : nest.loops)
    if (loop.reduces) order.push_back(loop.id);
  order.insert(order.end(), {i, j});
  draft.reorder(order);
  if (!draft.possible()) return;
  draft.step("reverse_compute_at", {write, reference_of(draft.schedule().program(), tx)});
  if (!outer.empty() && draft.possible()) bind(draft, fuse(draft, outer), "blockIdx.z");
  bind(draft, by, "blockIdx.y");
  bind(draft, bx, "blockIdx.x");
  bind(draft, ty, "threadIdx.y");
  bind(draft, tx, "threadIdx.x");
  offering({std::move(draft), nest.block,
            fmt::format("{0} x {0} sums of {1} in each thread, {2} x {2} in each block", tile.own,
                        nest.block, tile.block)});
}

void offer(Scene const& scene, Offering const& offering) {
  int64_t most = scene.schedule.target().threads_per_block;
  for (BlockNest const& nest : scene.nests) {
    std::vector<NestLoop> loops = loops_to_bind(nest);
    if (!nest.sums || loops.size() < 2) continue;
    int64_t least = std::min(loops[loops.size() - 1].extent, loops[loops.size() - 2].extent);
    for (Tile const& tile : kTiles) {
      int64_t threads = tile.block / tile.own * (tile.block / tile.own);
      if (tile.block < least && (most == 0 || threads <= most))
        offer_tile(scene, nest, loops, tile, offering);
    }
  }
}

}  // namespace

Idea const& row() {
  static Idea const idea{.name = "thread_tiles", .machines = Machines::kBlocks, .offer = offer};
  return idea;
}

}  // namespace tw::moves::idea_thread_tiles
