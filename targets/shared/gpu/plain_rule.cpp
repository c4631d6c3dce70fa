#include "targets/shared/gpu/plain_rule.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/stmt.h"
#include "engine/schedule/names.h"
#include "engine/schedule/trace.h"

namespace tw::gpu {
namespace {

/// Takes a line of a script; false: it is refused.
bool take(Schedule& schedule, std::string const& line) {
  auto step = parse_step(line);
  if (!step) return false;
  auto next = schedule.apply(*step);
  if (!next) return false;
  schedule = std::move(*next);
  return true;
}

/// Loops whose iterations make different elements, from the outermost one on.
std::vector<ir::For const*> spatial_loops(ir::BlockSite const& site) {
  std::vector<ir::For const*> loops;
  for (size_t i = 0; i < site.loops.size() && i < site.block->iters.size(); ++i) {
    if (site.block->iters[i].kind != ir::IterKind::kSpatial) break;
    loops.push_back(site.loops[i]);
  }
  return loops;
}

void bind_all(Schedule& schedule, std::string const& block, int64_t threads) {
  auto site = find_block(schedule.program(), block);
  if (!site) return;
  std::vector<std::string> names;
  int64_t extent = 1;
  for (ir::For const* loop : spatial_loops(*site)) {
    names.push_back(block + "." + loop->name());
    extent *= ir::as_int(loop->extent).value_or(threads + 1);
  }
  if (names.empty()) return;
  std::string all = names.front();
  for (size_t i = 1; i < names.size(); ++i) {
    if (!take(schedule, fmt::format("all = fuse({}, {})", all, names[i]))) return;
    all = block + ".all";
  }
  if (extent <= threads) {
    take(schedule, fmt::format("bind({}, axis=threadIdx.x)", all));
    return;
  }
  if (!take(schedule, fmt::format("b, t = split({}, factor={})", all, threads))) return;
  take(schedule, fmt::format("bind({}.b, axis=blockIdx.x)", block));
  take(schedule, fmt::format("bind({}.t, axis=threadIdx.x)", block));
}

}  // namespace

Schedule plain_schedule(ir::Program const& program, std::shared_ptr<Target const> target,
                        int64_t threads) {
  Schedule schedule(program, std::move(target));
  for (ir::BlockSite const& site : ir::blocks_of(program.body))
    bind_all(schedule, site.block->name, threads);
  return schedule;
}

}  // namespace tw::gpu
