/// What a program needs of a target's memories.
#pragma once

#include <expected>
#include <vector>

#include "engine/ir/program.h"
#include "engine/schedule/refusal.h"
#include "engine/target/memory_parts.h"

namespace tw {

/// Of each memory besides main memory that some tensor is in, as the lowered kernel will need it: a
/// tensor inside of loops has the size of what one iteration uses, for all threads that share it
/// (`arith::instances_of`); it begins at a multiple of the memory's alignment, and has an instance
/// for each virtual thread. Never less than the kernel takes. Tensors whose size is not known are
/// left out. In the order of the target's memories.
std::vector<MemoryUse> memory_use(ir::Program const& program, Target const& target);

/// A step may not make a memory overflow, nor overflow more than it did, by tensors inside of
/// loops. One that is still outside of all of them is on its way into a loop: it is left to
/// lowering, which refuses what was left so. Code: scope_overflow.
std::expected<void, Refusal> memories_hold(ir::Program const& before, ir::Program const& after,
                                           Target const& target);
/// Some tensor is in a memory with a capacity.
bool uses_limited_memory(ir::Program const& program, Target const& target);

}  // namespace tw
