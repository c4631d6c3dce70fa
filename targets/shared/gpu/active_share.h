/// Which part of warps and threads conditions let pass.
#pragma once

#include "targets/shared/gpu/launch_nest.h"

namespace tw::gpu {

/// Which warps are looked at, and in which iterations: some that are drawn; or each in all of the
/// loops that conditions know, where these are few.
enum class WarpChoice : uint8_t { kDrawn, kEach };

/// Over warps and iterations, the same ones each time. A condition on data lets all
/// pass. `around`: loops of the nest, outermost first.
Share active_share(std::vector<ir::Expr> const& conditions, LaunchNest const& nest,
                   std::vector<size_t> const& around, WarpChoice warps = WarpChoice::kDrawn);

}  // namespace tw::gpu
