/// Random legal schedules with loops that are bound to blocks and threads.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/ir/rewrite.h"
#include "engine/schedule/names.h"
#include "engine/schedule/trace.h"
#include "tests/support/random_schedules.h"

namespace tw::testing {

/// Loops that stand outermost and have no bound loop below them.
inline std::vector<ir::LoopSite> unbound_nests(ir::Program const& program) {
  std::vector<ir::LoopSite> nests;
  for (ir::LoopSite const& site : ir::loops_of(program.body)) {
    if (!site.around.empty()) continue;
    bool bound = site.loop->loop_kind == ir::LoopKind::kBind;
    for (ir::LoopSite const& below : ir::loops_of(site.loop->body))
      bound = bound || below.loop->loop_kind == ir::LoopKind::kBind;
    if (!bound) nests.push_back(site);
  }
  return nests;
}

/// Takes a line of a script where it is legal.
inline bool take_line(Schedule& schedule, std::string const& line) {
  auto next = schedule.apply(parse_step(line).value());
  if (next) schedule = std::move(*next);
  return next.has_value();
}

/// A block's outermost loop is one of blocks and one of threads; some of what it reads is brought
/// to memory that the threads share.
inline Schedule with_shared_tiles(Schedule schedule, Rng& rng) {
  for (ir::BlockSite const& site : ir::blocks_of(schedule.program().body)) {
    if (site.loops.empty() || rng.below(5) == 0) continue;
    std::string const& block = site.block->name;
    std::string loop = block + "." + site.loops[0]->name();
    if (!take_line(schedule, fmt::format("b, t = split({}, factor={})", loop, rng.between(2, 5))))
      continue;
    take_line(schedule,
              fmt::format("bind({}.b, axis=blockIdx.{})", block, rng.below(2) ? "x" : "y"));
    take_line(schedule,
              fmt::format("bind({}.t, axis=threadIdx.{})", block, rng.below(2) ? "x" : "y"));
    std::set<std::string> tensors;
    ir::walk_reads(site.block->body,
                   [&](ir::Touched const& at) { tensors.insert(at.buffer->name); });
    for (std::string const& tensor : tensors)
      if (rng.below(3) > 0 &&
          take_line(schedule,
                    fmt::format("cache_read({}, tensor={}, scope=shared)", block, tensor)))
        take_line(schedule, fmt::format("compute_at({}_cache, {}.b)", tensor, block));
  }
  return schedule;
}

/// Each nest that is not spread over threads yet is, by its outermost loops.
inline Schedule bound_at_random(Schedule schedule, Rng& rng) {
  for (ir::LoopSite const& site : unbound_nests(schedule.program())) {
    std::string loop = reference_of(schedule.program(), site.loop->id);
    std::vector<char const*> axes{"threadIdx.x", "blockIdx.x", "threadIdx.y", "blockIdx.z"};
    std::ranges::rotate(axes, axes.begin() + rng.below(4));
    for (char const* axis : axes)
      if (take_line(schedule, fmt::format("bind({}, axis={})", loop, axis))) break;
  }
  return schedule;
}

/// Two of three begin with tiles in shared memory; then come random steps of the target's.
inline Schedule random_bound_schedule(Schedule schedule, int trace, Rng& rng) {
  if (trace % 3 > 0) schedule = with_shared_tiles(std::move(schedule), rng);
  for (int64_t tries = rng.between(0, 16); tries > 0; --tries)
    if (auto next = schedule.apply(propose_step(schedule.program(), rng, schedule.target())))
      schedule = std::move(*next);
  return bound_at_random(std::move(schedule), rng);
}

}  // namespace tw::testing
