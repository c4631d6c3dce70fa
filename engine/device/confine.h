/// Limits that a process sets on itself before it runs code from elsewhere.
#pragma once

#include <cstdint>
#include <filesystem>

#include "engine/support/base/error.h"

namespace tw {

struct Confinement {
  std::filesystem::path folder;  ///< becomes the working folder, the only one to write in
  int64_t memory_bytes = 0;      ///< of tensors; the process gets somewhat more
  int keep = -1;                 ///< the one descriptor above 2 that stays open
};

/// Errors: not_confined. Where the system cannot limit what a process writes (no Landlock), that
/// limit alone is left out; see `can_confine_writes`.
Status confine_this_process(Confinement const& confinement);

/// Whether this system keeps a confined process from writing elsewhere.
bool can_confine_writes();

}  // namespace tw
