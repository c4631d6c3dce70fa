/// What each access of a warp costs memory, in words.
#pragma once

#include "engine/backend/backend.h"
#include "targets/shared/gpu/warp_accesses.h"

namespace tw::cuda {

/// A line for each access of each function, linked to its statement. `shapes`: of `kernel.device`;
/// `calls` as of `warp_accesses`.
CodeListing access_listing(std::string const& key, ir::KernelIr const& kernel,
                           std::vector<gpu::LaunchShape> const& shapes,
                           gpu::CallAccesses const& calls, ir::PrintedProgram const& lowered);

}  // namespace tw::cuda
