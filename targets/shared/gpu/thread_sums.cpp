#include "targets/shared/gpu/thread_sums.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/ir/stmt.h"
#include "engine/schedule/names.h"

namespace tw::gpu {

std::string fused_reduction(Steps& steps, std::string const& block) {
  auto site = find_block(steps.schedule().program(), block);
  if (!site) return {};
  std::vector<std::string> loops;
  for (ir::For const* loop : site->loops)
    if (std::ranges::any_of(site->block->iters, [&](ir::IterVar const& iter) {
          return iter.kind == ir::IterKind::kReduce &&
                 ir::uses_variable(iter.binding, loop->name());
        }))
      loops.push_back(block + "." + loop->name());
  return steps.fuse_all(block, loops, "k");
}

bool sum_over_threads(Steps& steps, std::string const& block, int64_t threads,
                      std::string const& axis) {
  std::string all = fused_reduction(steps, block);
  return !all.empty() && steps.take_all({fmt::format("k0, k1 = split({}, factor={})", all, threads),
                                         fmt::format("bind({}.k1, axis={})", block, axis)});
}

bool share_elements(Steps& steps, std::string const& block, std::vector<std::string> const& loops,
                    int64_t threads) {
  if (loops.empty()) return true;  // one element
  std::string all = steps.fuse_all(block, loops, "j");
  auto loop = find_loop(steps.schedule().program(), all);
  if (all.empty() || !loop) return false;
  if (ir::as_int(loop->loop->extent).value_or(threads + 1) <= threads)
    return steps.take(fmt::format("bind({}, axis=threadIdx.x)", all));
  return steps.take_all({fmt::format("j0, j1 = split({}, factor={})", all, threads),
                         fmt::format("bind({}.j1, axis=threadIdx.x)", block)});
}

bool share_tile(Steps& steps, std::string const& block, std::string const& loop,
                std::string const& prefix, int64_t threads_y, int64_t threads_x) {
  auto extent_of = [&](std::string const& name) {
    auto site = find_loop(steps.schedule().program(), name);
    return site ? ir::as_int(site->loop->extent).value_or(0) : 0;
  };
  std::vector<std::string> loops = steps.loops_below(block, loop);
  int64_t elements = 1;
  for (std::string const& one : loops) elements *= extent_of(one);
  if (loops.size() == 2 && elements > threads_x)
    return steps.take(fmt::format("share_among_threads({}, {}, {}, x={}, y={})", block, loops[0],
                                  loops[1], threads_x, threads_y));
  std::string all = steps.fuse_all(block, loops, prefix);
  if (all.empty()) return false;
  if (elements <= threads_x) return steps.take(fmt::format("bind({}, axis=threadIdx.x)", all));
  if (elements > threads_x * threads_y)
    return steps.take(fmt::format("cooperative_fetch({}, x={}, y={})", all, threads_x, threads_y));
  return steps.take_all(
      {fmt::format("{0}r, {0}x = split_bind({1}, factor={2})", prefix, all, threads_x),
       fmt::format("bind({}.{}r, axis=threadIdx.y)", block, prefix)});
}

}  // namespace tw::gpu
