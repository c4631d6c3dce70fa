#include "targets/shared/gpu/window_rule.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "targets/shared/gpu/choices.h"
#include "targets/shared/gpu/stage_loops.h"
#include "targets/shared/gpu/steps.h"

namespace tw::gpu {
namespace {

using namespace ir;

constexpr int64_t kMostTerms = 256;  // more are worth sharing
constexpr int64_t kBusy = 1 << 15;   // so many threads have work before one gets more
constexpr int64_t kThreads = 256;    // of a block

struct Windows {
  std::vector<std::string> before;
  std::string block, after;  ///< empty: the sum is the result
  StageLoops loops;
  int64_t rows = 1;  ///< of the picture
};

std::optional<Windows> windows_of(Program const& program) {
  std::vector<BlockSite> blocks = blocks_of(program.body);
  auto sum =
      std::ranges::find_if(blocks, [](BlockSite const& one) { return bool(one.block->init); });
  if (sum == blocks.end() || sum + 2 < blocks.end()) return std::nullopt;
  auto loops = stage_loops(*sum);
  auto const* store = sum->block->body.as<Store>();
  if (!loops || !store || loops->spatial.size() < 2 || loops->terms > kMostTerms)
    return std::nullopt;
  Windows windows{.block = sum->block->name, .after = {}, .loops = *loops};
  for (auto before = blocks.begin(); before != sum; ++before)
    windows.before.push_back(before->block->name);
  windows.rows = *as_int(sum->loops[loops->spatial.size() - 2]->extent);
  if (sum + 1 == blocks.end()) return windows;
  if (!reads_where_it_writes(*(sum + 1)->block, store->buffer->name)) return std::nullopt;
  windows.after = (sum + 1)->block->name;
  return windows;
}

struct Tiles {
  int64_t rows = 1, threads = kThreads;
};

Tiles tiles_for(Windows const& windows, Target const& target, Decisions& decisions) {
  std::vector<int64_t> rows{1, 2, 4, 8};
  std::erase_if(rows, [&](int64_t count) { return windows.rows % count != 0; });
  Tiles tiles;
  tiles.rows = choose_up_to(decisions, windows.block + ".rows", rows,
                            std::min<int64_t>(4, windows.loops.elements / kBusy));
  tiles.threads =
      choose_up_to(decisions, windows.block + ".threads",
                   up_to({1, 32, 64, 128, 256, 512}, target.threads_per_block), kThreads);
  return tiles;
}

bool schedule_windows(Steps& steps, Windows const& windows, Tiles const& tiles) {
  std::string const& block = windows.block;
  for (std::string const& stage : windows.before)
    if (!steps.take(fmt::format("compute_inline({})", stage))) return false;
  if (!steps.take(fmt::format("{}({}, scope=local)",
                              windows.after.empty() ? "cache_write" : "set_scope", block)))
    return false;
  std::vector<std::string> outer;
  for (std::string const& loop : windows.loops.spatial) outer.push_back(block + "." + loop);
  if (tiles.rows > 1) {
    std::string& row = outer[outer.size() - 2];
    if (!steps.take_all({fmt::format("y0, y1 = split({}, factor={})", row, tiles.rows),
                         fmt::format("reorder({0}.y0, {1}, {0}.y1)", block, outer.back())}))
      return false;
    row = block + ".y0";
  }
  std::string all = steps.fuse_all(block, outer, "all"), thread = all;
  if (all.empty()) return false;
  bool several = windows.loops.elements / tiles.rows > tiles.threads;
  if (several) {
    if (!steps.take(fmt::format("b, t = split({}, factor={})", all, tiles.threads))) return false;
    thread = block + ".t";
  }
  return steps.take(fmt::format("reverse_compute_at({}, {})",
                                windows.after.empty() ? block + "_write" : windows.after,
                                thread)) &&
         (!several || steps.take(fmt::format("bind({}.b, axis=blockIdx.x)", block))) &&
         steps.take(fmt::format("bind({}, axis=threadIdx.x)", thread));
}

}  // namespace

std::optional<Schedule> window_schedule(Program const& program,
                                        std::shared_ptr<Target const> target,
                                        Decisions& decisions) {
  auto windows = windows_of(program);
  if (!windows) return std::nullopt;
  Tiles tiles = tiles_for(*windows, *target, decisions);
  Steps steps(Schedule(program, std::move(target)));
  if (!schedule_windows(steps, *windows, tiles)) return std::nullopt;
  return steps.schedule();
}

}  // namespace tw::gpu
