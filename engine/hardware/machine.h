/// What every device can tell of the machine that it is part of.
#pragma once

#include <cstdint>

namespace tw {

/// Main memory of the machine that this process runs on; 0 where the system does not tell.
int64_t machine_memory_bytes();

}  // namespace tw
