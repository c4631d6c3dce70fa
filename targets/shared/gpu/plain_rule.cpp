#include "targets/shared/gpu/plain_rule.h"

#include <fmt/format.h>

#include "engine/ir/stmt.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/names.h"
#include "targets/shared/gpu/steps.h"

namespace tw::gpu {
namespace {

/// Loops whose iterations make different elements, from the outermost one on; below steps in time,
/// which stay the host's.
std::vector<ir::For const*> spatial_loops(ir::BlockSite const& site) {
  std::vector<ir::For const*> loops;
  for (size_t i = 0; i < site.loops.size() && i < site.block->iters.size(); ++i) {
    ir::IterKind kind = site.block->iters[i].kind;
    if (kind == ir::IterKind::kOrdered && loops.empty()) continue;
    if (kind != ir::IterKind::kSpatial) break;
    loops.push_back(site.loops[i]);
  }
  return loops;
}

/// The sums of a block's threads are in registers, and each is written when it is done.
bool sum_in_registers(Steps& steps, std::string const& block, std::string const& thread_loop) {
  return steps.take(fmt::format("reverse_compute_at({0}_write, {0}.{1})", block, thread_loop));
}

/// False: it is refused.
bool bind_all(Steps& steps, std::string const& block, int64_t threads, bool in_registers) {
  auto site = find_block(steps.schedule().program(), block);
  if (!site) return false;
  std::vector<std::string> names;
  int64_t extent = 1;
  for (ir::For const* loop : spatial_loops(*site)) {
    names.push_back(block + "." + loop->name());
    extent *= ir::as_int(loop->extent).value_or(threads + 1);
  }
  // What other threads read in a later step is in main memory.
  if (in_registers && (names.empty() || !site->block->init || reads_itself(*site->block) ||
                       !steps.take(fmt::format("cache_write({}, scope=local)", block))))
    return false;
  std::string all = steps.fuse_all(block, names, "all");
  if (all.empty()) return false;
  if (extent <= threads) {
    std::string name = all.substr(block.size() + 1);
    return (!in_registers || sum_in_registers(steps, block, name)) &&
           steps.take(fmt::format("bind({}, axis=threadIdx.x)", all));
  }
  if (in_registers)
    return steps.take(
        fmt::format("launch_elements({}, {}_write, threads={})", all, block, threads));
  // Loops of the model's own may have the short names: steps in time are called t.
  for (auto [b, t] : {std::pair("b", "t"), std::pair("blocks", "lanes")})
    if (steps.take(fmt::format("{}, {} = split({}, factor={})", b, t, all, threads)))
      return steps.take(fmt::format("bind({}.{}, axis=blockIdx.x)", block, b)) &&
             steps.take(fmt::format("bind({}.{}, axis=threadIdx.x)", block, t));
  return false;
}

}  // namespace

Schedule plain_schedule(ir::Program const& program, std::shared_ptr<Target const> target,
                        int64_t threads) {
  Steps steps(Schedule(program, std::move(target)));
  for (ir::BlockSite const& site : ir::blocks_of(program.body)) {
    Steps with_registers = steps;
    if (bind_all(with_registers, site.block->name, threads, true))
      steps = std::move(with_registers);
    else
      bind_all(steps, site.block->name, threads, false);
  }
  return steps.schedule();
}

}  // namespace tw::gpu
