/// A default schedule for targets of the tests whose threads are all that they have.
#pragma once

#include <fmt/format.h>

#include "engine/ir/rewrite.h"
#include "engine/schedule/names.h"
#include "engine/schedule/schedule.h"
#include "engine/schedule/trace.h"

namespace tw::testing {

/// Whatever may run on several threads does, by its outermost loop.
inline Result<Schedule> parallel_everywhere(Schedule schedule) {
  ir::Program const program = schedule.program();
  for (ir::BlockSite const& site : ir::blocks_of(program.body)) {
    if (site.loops.empty()) continue;
    std::string loop = reference_of(program, site.loops.front()->id);
    TRY_ASSIGN(Step step, parse_step(fmt::format("parallel({})", loop)));
    if (auto next = schedule.apply(step)) schedule = std::move(*next);
  }
  return schedule;
}

}  // namespace tw::testing
