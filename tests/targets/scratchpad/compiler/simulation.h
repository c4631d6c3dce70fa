/// The scratchpad machine by the clock: a unit that goes through the lowered kernel in order, and a
/// port that loads while it goes on.
#pragma once

#include "engine/hardware/timeline.h"
#include "engine/ir/program.h"
#include "engine/support/base/job.h"

namespace tw::scratchpad {

/// Four elements a cycle; a matrix unit takes a column of its product in one. Errors: not_simulated
/// (it depends on data, or has more than 400,000 instructions); cancelled.
Result<Timeline> simulate(ir::KernelIr const& kernel, StopToken stop);

}  // namespace tw::scratchpad
