#include "targets/shared/gpu/reduction_rule.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "targets/shared/gpu/choices.h"
#include "targets/shared/gpu/stage_loops.h"
#include "targets/shared/gpu/thread_sums.h"

namespace tw::gpu {
namespace {

using namespace ir;

constexpr int64_t kLeastTerms = 32;        // less is one thread's
constexpr int64_t kLeastThreads = 16;      // that a block must be able to have
constexpr int64_t kWantedThreads = 65536;  // of all columns together: a GPU has so many places
constexpr int64_t kColumnThreads = 32;     // side by side
constexpr int64_t kLeastTurns = 16;        // of a part's threads: a second launch takes as long

bool is_element(BlockSite const& site) { return site.loops.empty() && !site.block->init; }

/// Blocks add a part each, of `length` terms, and the threads of one block add these parts.
bool schedule_total(Steps& steps, std::string const& block, std::string const& parts,
                    int64_t length, int64_t threads) {
  std::string all = fused_reduction(steps, block);
  return !all.empty() &&
         steps.take_all({fmt::format("part, n = split({}, factor={})", all, length),
                         fmt::format("rfactor({}.part)", block),
                         fmt::format("cache_write({}, scope=shared)", parts),
                         fmt::format("compute_at({0}, {0}_write.d0)", parts)}) &&
         sum_over_threads(steps, parts, threads) &&
         steps.take_all({fmt::format("bind({}_write.d0, axis=blockIdx.x)", parts),
                         fmt::format("bind({}.part, axis=threadIdx.x)", block)});
}

/// Terms of a block, so that `count` blocks have them all: no turn of its threads has a rest.
int64_t whole_turns(int64_t terms, int64_t count, int64_t threads) {
  int64_t each = (terms + count - 1) / count;
  return std::min(terms, (each + threads - 1) / threads * threads);
}

/// The name of each dimension's loop in the copy of a tensor.
std::string copy_loop(std::string const& block, size_t dimension) {
  return fmt::format("{}_write.d{}", block, dimension);
}

/// Sums of a block: the last of `spatial`, its loops of results, has the columns.
bool schedule_columns(Steps& steps, std::string const& c, std::vector<std::string> const& spatial,
                      int64_t across, int64_t along) {
  std::vector<std::string> others;
  for (size_t d = 0; d + 1 < spatial.size(); ++d) others.push_back(copy_loop(c, d));
  if (!steps.take(fmt::format("cache_write({}, scope=shared)", c))) return false;
  std::string outer = steps.fuse_all(c + "_write", others, "i");
  bool made = steps.take_all(
      {fmt::format("j0, j1 = split({}, factor={})", copy_loop(c, others.size()), across),
       fmt::format("compute_at({0}, {0}_write.j0)", c)});
  if (!made || !sum_over_threads(steps, c, along, "threadIdx.y")) return false;
  return (outer.empty() || steps.take(fmt::format("bind({}, axis=blockIdx.y)", outer))) &&
         steps.take_all({fmt::format("bind({}.{}, axis=threadIdx.x)", c, spatial.back()),
                         fmt::format("bind({}_write.j0, axis=blockIdx.x)", c),
                         fmt::format("bind({}_write.j1, axis=threadIdx.x)", c)});
}

/// Long columns: `count` rows of blocks add a part each, and threads of another launch the parts.
bool schedule_long_columns(Steps& steps, std::string const& c, std::string const& parts,
                           StageLoops const& loops, int64_t across, int64_t along, int64_t count) {
  std::string all = fused_reduction(steps, c);
  std::vector<std::string> spatial = loops.spatial, others;
  spatial.insert(spatial.begin(), "part");
  if (all.empty() ||
      !steps.take_all({fmt::format("part, n = split({}, parts={})", all, count),
                       fmt::format("rfactor({}.part)", c)}) ||
      !schedule_columns(steps, parts, spatial, across, along))
    return false;
  for (size_t d = 0; d + 1 < loops.spatial.size(); ++d)
    others.push_back(c + "." + loops.spatial[d]);
  std::string outer = steps.fuse_all(c, others, "i");
  return (outer.empty() || steps.take(fmt::format("bind({}, axis=blockIdx.y)", outer))) &&
         steps.take_all(
             {fmt::format("j0, j1 = split({}.{}, factor={})", c, loops.spatial.back(), across),
              fmt::format("bind({}.j0, axis=blockIdx.x)", c),
              fmt::format("bind({}.j1, axis=threadIdx.x)", c),
              fmt::format("bind({}.part, axis=threadIdx.y)", c)});
}

/// Long rows: blocks add a part of a row each, of `length` terms, and the threads of one block for
/// each row add its parts.
bool schedule_long_rows(Steps& steps, std::string const& c, std::string const& parts,
                        StageLoops const& loops, int64_t length, int64_t threads) {
  std::string all = fused_reduction(steps, c);
  if (all.empty() || !steps.take_all({fmt::format("part, n = split({}, factor={})", all, length),
                                      fmt::format("rfactor({}.part)", c),
                                      fmt::format("cache_write({}, scope=shared)", parts)}))
    return false;
  std::vector<std::string> made, sums;
  for (size_t d = 0; d <= loops.spatial.size(); ++d) made.push_back(copy_loop(parts, d));
  for (std::string const& loop : loops.spatial) sums.push_back(c + "." + loop);
  std::string rows = steps.fuse_all(parts + "_write", made, "i");
  if (rows.empty() || !steps.take(fmt::format("compute_at({}, {})", parts, rows)) ||
      !sum_over_threads(steps, parts, threads))
    return false;
  std::string row = steps.fuse_all(c, sums, "i");
  return !row.empty() && steps.take_all({fmt::format("bind({}, axis=blockIdx.x)", rows),
                                         fmt::format("bind({}, axis=blockIdx.x)", row),
                                         fmt::format("bind({}.part, axis=threadIdx.x)", c)});
}

}  // namespace

std::optional<Schedule> total_schedule(Program const& program, std::shared_ptr<Target const> target,
                                       Decisions& decisions) {
  std::vector<BlockSite> blocks = blocks_of(program.body);
  auto at =
      std::ranges::find_if(blocks, [](BlockSite const& one) { return bool(one.block->init); });
  if (at == blocks.end()) return std::nullopt;
  auto loops = stage_loops(*at);
  if (!loops || !loops->spatial.empty() || loops->terms < kLeastTerms ||
      !reduction_of(*at->block) || !std::all_of(at + 1, blocks.end(), is_element) ||
      target->threads_per_block < kLeastThreads)
    return std::nullopt;
  std::string const name = at->block->name;
  int64_t const terms = loops->terms, most = target->threads_per_block;
  int64_t threads = choose_up_to(decisions, name + ".threads",
                                 up_to({16, 64, 128, 256, 512}, std::min(terms, most)), 256);
  int64_t each = choose_up_to(decisions, name + ".each", {1, 4, 16, 64}, 16);
  int64_t wanted = (terms + threads * each - 1) / (threads * each);
  int64_t count = std::min(wanted, most);  // of blocks: the threads of one add their parts
  std::string parts = at->block->body.to<Store>().buffer->name + "_rf";
  Steps steps(Schedule(program, std::move(target)));
  for (auto before = blocks.begin(); before != at; ++before)
    if (!steps.take(fmt::format("compute_inline({})", before->block->name))) return std::nullopt;
  bool made = count == 1
                  ? sum_over_threads(steps, name, threads)
                  : schedule_total(steps, name, parts, whole_turns(terms, count, threads), threads);
  if (!made) return std::nullopt;
  return steps.schedule();
}

std::optional<Schedule> columns_schedule(Program const& program,
                                         std::shared_ptr<Target const> target,
                                         Decisions& decisions) {
  std::vector<BlockSite> blocks = blocks_of(program.body);
  if (blocks.size() != 1 || !blocks[0].block->init) return std::nullopt;
  auto loops = stage_loops(blocks[0]);
  if (!loops || loops->spatial.empty() || loops->terms < kLeastTerms ||
      loops->elements >= kWantedThreads || !sums_along_columns(*blocks[0].block))
    return std::nullopt;
  int64_t columns = *as_int(blocks[0].loops[loops->spatial.size() - 1]->extent);
  int64_t across = std::min(columns, kColumnThreads);
  int64_t most = std::min(loops->terms, target->threads_per_block / across);
  if (most < 2) return std::nullopt;
  std::string const name = blocks[0].block->name;
  int64_t along = choose_up_to(decisions, name + ".threads", up_to({2, 4, 8, 16}, most),
                               kWantedThreads / loops->elements);
  int64_t count = choose_up_to(
      decisions, name + ".parts",
      up_to({1, 2, 4, 8, 16, 32},
            std::min(target->threads_per_block / across, loops->terms / along)),
      std::min(kWantedThreads / (loops->elements * along), loops->terms / (along * kLeastTerms)));
  std::string parts = blocks[0].block->body.to<Store>().buffer->name + "_rf";
  Steps steps(Schedule(program, std::move(target)));
  bool made = count == 1 ? schedule_columns(steps, name, loops->spatial, across, along)
                         : schedule_long_columns(steps, name, parts, *loops, across, along, count);
  if (!made) return std::nullopt;
  return steps.schedule();
}

std::optional<Schedule> long_rows_schedule(Program const& program,
                                           std::shared_ptr<Target const> target,
                                           Decisions& decisions) {
  std::vector<BlockSite> blocks = blocks_of(program.body);
  if (blocks.size() != 1 || !blocks[0].block->init || !reduction_of(*blocks[0].block))
    return std::nullopt;
  auto loops = stage_loops(blocks[0]);
  if (!loops || loops->spatial.empty() || !sums_along_rows(*blocks[0].block)) return std::nullopt;
  int64_t threads = up_to({16, 64, 128, 256}, target->threads_per_block).back();
  int64_t most = std::min({kWantedThreads / (loops->elements * threads),
                           loops->terms / (threads * kLeastTurns), threads});
  if (most < 2) return std::nullopt;
  std::string const name = blocks[0].block->name;
  int64_t count =
      choose_up_to(decisions, name + ".parts", up_to({2, 4, 8, 16, 32, 64, 128}, most), most);
  std::string parts = blocks[0].block->body.to<Store>().buffer->name + "_rf";
  Steps steps(Schedule(program, std::move(target)));
  if (!schedule_long_rows(steps, name, parts, *loops, whole_turns(loops->terms, count, threads),
                          threads))
    return std::nullopt;
  return steps.schedule();
}

}  // namespace tw::gpu
