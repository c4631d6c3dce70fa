/// What of a program's tensors lies in which memory, as values.
#pragma once

#include "engine/ir/program.h"
#include "engine/session/memory.h"
#include "engine/target/target.h"

namespace tw::session {

/// A cache holds what one iteration of a loop works on, the outermost for which that fits: the
/// parts that are larger than in the memories before it. Main memory has what no cache holds whole,
/// and memories of the target's own what the program puts there.
LanesView lanes_view(ir::Program const& program, Target const& target);

/// The block with the most instances; null where there is none.
std::optional<ir::BlockSite> busiest_block(ir::Program const& program);

}  // namespace tw::session
