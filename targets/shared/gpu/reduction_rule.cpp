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

bool is_element(BlockSite const& site) { return site.loops.empty() && !site.block->init; }

/// The parts of all blocks: a few threads add most of them, and one the rest.
bool add_parts(Steps& steps, std::string const& block, std::string const& loop, int64_t parts) {
  constexpr int64_t kLast = 16;
  if (parts <= kLast) return true;
  if (!steps.take_all({fmt::format("p0, p1 = split({}, factor={})", loop, kLast),
                       fmt::format("reorder({0}.p1, {0}.p0)", block)}))
    return false;
  std::string few = factored(steps, block + ".p1");
  return !few.empty() &&
         steps.take(fmt::format("bind({}, axis=threadIdx.x)", first_axis(steps, few)));
}

bool schedule_total(Steps& steps, std::string const& block, int64_t length, int64_t threads) {
  std::string all = fused_reduction(steps, block);
  if (all.empty() || !steps.take(fmt::format("b, n = split({}, factor={})", all, length)))
    return false;
  std::string parts = factored(steps, block + ".b");
  if (parts.empty() || !steps.take_all({fmt::format("cache_write({}, scope=shared)", parts),
                                        fmt::format("compute_at({0}, {0}_write.d0)", parts)}))
    return false;
  auto site = blocks_of(steps.schedule().program().body);
  int64_t count = 1;
  for (BlockSite const& one : site)
    if (one.block->name == block) count = as_int(one.loops.back()->extent).value_or(1);
  return sum_over_threads(steps, parts, {.threads = threads}) &&
         steps.take(fmt::format("bind({}_write.d0, axis=blockIdx.x)", parts)) &&
         add_parts(steps, block, block + ".b", count);
}

/// The name of each dimension's loop in the copy of a tensor.
std::string copy_loop(std::string const& block, size_t dimension) {
  return fmt::format("{}_write.d{}", block, dimension);
}

bool schedule_columns(Steps& steps, BlockSite const& site, StageLoops const& loops, int64_t across,
                      int64_t along) {
  std::string const& c = site.block->name;
  std::vector<std::string> others;
  for (size_t d = 0; d + 1 < loops.spatial.size(); ++d) others.push_back(copy_loop(c, d));
  if (!steps.take(fmt::format("cache_write({}, scope=shared)", c))) return false;
  std::string outer = steps.fuse_all(c + "_write", others, "i");
  bool made = steps.take_all(
      {fmt::format("j0, j1 = split({}, factor={})", copy_loop(c, others.size()), across),
       fmt::format("compute_at({0}, {0}_write.j0)", c)});
  if (!made ||
      !sum_over_threads(steps, c, {.threads = along, .axis = "threadIdx.y", .tree = false}))
    return false;
  return (outer.empty() || steps.take(fmt::format("bind({}, axis=blockIdx.y)", outer))) &&
         steps.take_all({fmt::format("bind({}.{}, axis=threadIdx.x)", c, loops.spatial.back()),
                         fmt::format("bind({}_write.j0, axis=blockIdx.x)", c),
                         fmt::format("bind({}_write.j1, axis=threadIdx.x)", c)});
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
  int64_t half = loops->terms / 2;  // two blocks at least: one has no loop to be bound
  int64_t threads =
      choose_up_to(decisions, name + ".threads",
                   up_to({16, 64, 128, 256, 512}, std::min(half, target->threads_per_block)), 256);
  int64_t each = choose_up_to(decisions, name + ".each", {1, 4, 16, 64}, 16);
  Steps steps(Schedule(program, std::move(target)));
  for (auto before = blocks.begin(); before != at; ++before)
    if (!steps.take(fmt::format("compute_inline({})", before->block->name))) return std::nullopt;
  if (!schedule_total(steps, name, std::min(half, threads * each), threads)) return std::nullopt;
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
  int64_t along = choose_up_to(decisions, blocks[0].block->name + ".threads",
                               up_to({2, 4, 8, 16}, most), kWantedThreads / loops->elements);
  Steps steps(Schedule(program, std::move(target)));
  if (!schedule_columns(steps, blocks[0], *loops, across, along)) return std::nullopt;
  return steps.schedule();
}

}  // namespace tw::gpu
