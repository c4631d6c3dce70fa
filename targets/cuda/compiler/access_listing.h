/// What each access of a warp costs memory, in words.
#pragma once

#include "engine/backend/backend.h"
#include "targets/shared/gpu/warp_accesses.h"

namespace tw::cuda {

/// A line for each access of each function, linked to its statement. `shapes`: of `kernel.device`.
CodeListing access_listing(std::string const& key, ir::KernelIr const& kernel,
                           std::vector<gpu::LaunchShape> const& shapes,
                           ir::PrintedProgram const& lowered);

}  // namespace tw::cuda
