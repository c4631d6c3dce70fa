#include "targets/shared/gpu/element_rule.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "engine/schedule/names.h"
#include "targets/shared/gpu/choices.h"
#include "targets/shared/gpu/stage_loops.h"
#include "targets/shared/gpu/steps.h"

namespace tw::gpu {
namespace {

using namespace ir;

constexpr int64_t kWideBytes = 16;    // of one access of a thread, at most
constexpr int64_t kThreads = 256;     // of a block
constexpr int64_t kLeastWarps = 512;  // so many threads are kept busy before each makes more

/// Every read walks along its tensor as the block walks along its result.
bool reads_side_by_side(Block const& block) {
  std::string const last = block.iters.back().name();
  bool along = true;
  walk_reads(block.body, [&](Touched const& at) {
    for (size_t d = 0; d < at.indices.size(); ++d)
      along = along && (d + 1 == at.indices.size() || !uses_variable(at.indices[d], last));
  });
  return along;
}

/// Neighbours of a thread: no rest, and enough threads for all of them.
int64_t neighbours(Block const& block, int64_t elements, Decisions& decisions) {
  auto const* store = block.body.as<Store>();
  int64_t most =
      store ? kWideBytes / std::max(int64_t(size_of(store->buffer->type)), int64_t(4)) : 1;
  std::vector<int64_t> choices{1, 2, 4};
  std::erase_if(choices, [&](int64_t n) { return n > most || elements % n != 0; });
  bool wide = elements >= kLeastWarps * 32 && reads_side_by_side(block);
  return choose_up_to(decisions, block.name + ".neighbours", choices, wide ? most : 1);
}

bool schedule_stage(Steps& steps, std::string const& block, Decisions& decisions) {
  auto site = find_block(steps.schedule().program(), block);
  auto loops = site ? stage_loops(*site) : std::nullopt;
  if (!loops) return false;
  if (loops->spatial.empty()) return true;
  int64_t most = steps.schedule().target().threads_per_block;
  int64_t many = neighbours(*site->block, loops->elements, decisions);
  int64_t threads = choose_up_to(decisions, block + ".threads",
                                 up_to({1, 32, 64, 128, 256, 512, 1024}, most), kThreads);
  std::vector<std::string> names;
  for (std::string const& loop : loops->spatial) names.push_back(block + "." + loop);
  std::string all = steps.fuse_all(block, names, "all");
  if (all.empty()) return false;
  if (many > 1) {
    if (!steps.take(fmt::format("all, v = split({}, factor={})", all, many)) ||
        !steps.take(fmt::format("vectorize({}.v)", block)))
      return false;
    all = block + ".all";
  }
  if (loops->elements / many <= threads)
    return steps.take(fmt::format("bind({}, axis=threadIdx.x)", all));
  return steps.take_all({fmt::format("b, t = split({}, factor={})", all, threads),
                         fmt::format("bind({}.b, axis=blockIdx.x)", block),
                         fmt::format("bind({}.t, axis=threadIdx.x)", block)});
}

}  // namespace

std::optional<Schedule> element_schedule(Program const& program,
                                         std::shared_ptr<Target const> target,
                                         Decisions& decisions) {
  std::vector<BlockSite> blocks = blocks_of(program.body);
  bool sums = std::ranges::any_of(blocks, [](BlockSite const& one) {
    auto loops = stage_loops(one);
    return !loops || one.block->init || !loops->reduce.empty();
  });
  if (sums) return std::nullopt;
  Steps steps(Schedule(program, std::move(target)));
  for (size_t i = 0; i + 1 < blocks.size(); ++i)  // refused of what is an output, too
    steps.take(fmt::format("compute_inline({})", blocks[i].block->name));
  for (BlockSite const& one : blocks)
    if (find_block(steps.schedule().program(), one.block->name) &&
        !schedule_stage(steps, one.block->name, decisions))
      return std::nullopt;
  return steps.schedule();
}

}  // namespace tw::gpu
