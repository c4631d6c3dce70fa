/// Where the tensors that the threads of a block share lie in the block's memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/ir/program.h"
#include "engine/target/memory_parts.h"

namespace tw::gpu {

struct SharedLayout {
  std::map<std::string, int64_t> offsets;  ///< bytes, by tensor
  std::vector<MemoryPart> parts;           ///< what each takes
  int64_t bytes = 0;                       ///< of all
};

/// Each tensor has its place for the whole launch: threads that are late may still read the one
/// whose place another one would take. Places are multiples of `alignment`.
SharedLayout shared_layout(ir::Function const& device_function, int64_t alignment);

}  // namespace tw::gpu
