/// What tensors take of a memory, part by part, and how that is said.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/support/base/error.h"
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
  int64_t capacity = 0;  ///< of one instance of the memory; 0: it has no bound of its own
  int64_t bytes = 0;
  std::vector<MemoryPart> parts;   ///< of the sum, the outermost first
  std::vector<MemoryPart> others;  ///< tensors that are there at other times

  bool overflows() const { return capacity > 0 && bytes > capacity; }
};

bool has_limited_memories(Target const& target);
/// The same target, whose memories never overflow: what a step would take is told by it.
std::shared_ptr<Target const> without_capacities(Target target);

/// What `count` tensors of so many bytes take of the memory, each aligned as it asks for.
int64_t bytes_taken(MemoryScope const& memory, int64_t bytes, int64_t count = 1);

/// "A_cache 32 KB, B_cache 20 KB"
std::string parts_text(std::vector<MemoryPart> const& parts);
/// scope_overflow: "the memory 'shared' has 48 KB, but 52 KB are needed at the same time: A_cache
/// 32 KB, ..."
Error overflow_of(MemoryUse const& use);

}  // namespace tw
