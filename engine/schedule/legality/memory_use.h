/// What a program needs of memories with a capacity.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "engine/ir/program.h"
#include "engine/schedule/refusal.h"
#include "engine/target/target.h"

namespace tw {

/// What a tensor takes, all its instances together that are there at the same time.
struct MemoryPart {
  std::string tensor;
  int64_t bytes = 0;
  bool at_top = false;  ///< allocated outside of all loops
};

/// A memory where it is fullest.
struct MemoryUse {
  std::string memory;
  int64_t capacity = 0;  ///< of one instance of the memory
  int64_t bytes = 0;
  std::vector<MemoryPart> parts;  ///< the outermost first
};

/// Of each memory of the target with a capacity that some tensor is in, as the lowered kernel will
/// need it: a tensor inside of loops has the size of what one iteration uses, for all threads that
/// share it; it begins at a multiple of the memory's alignment, and has an instance for each
/// virtual thread. Never less than the kernel takes. Tensors whose size is not known are left out.
std::vector<MemoryUse> memory_use(ir::Program const& program, Target const& target);

/// "the memory 'shared' has 48 KB, but 52 KB are needed at the same time: A_cache 32 KB, ..."
std::string overflow_text(MemoryUse const& use);

/// A step may not make a memory overflow, nor overflow more than it did, by tensors inside of
/// loops. One that is still outside of all of them is on its way into a loop: it is left to
/// lowering, which refuses what was left so. Code: scope_overflow.
std::expected<void, Refusal> memories_hold(ir::Program const& before, ir::Program const& after,
                                           Target const& target);
/// Some tensor is in a memory with a capacity.
bool uses_limited_memory(ir::Program const& program, Target const& target);

}  // namespace tw
