/// Which part of warps and threads conditions let pass.
#pragma once

#include "targets/shared/gpu/launch_nest.h"

namespace tw::gpu {

/// Which warps are looked at: some that are drawn, or each as often as any other.
enum class Warps : uint8_t { kDrawn, kEach };

/// Over warps, and iterations that are drawn, the same ones each time. A condition on data lets all
/// pass. `around`: loops of the nest, outermost first.
Share active_share(std::vector<ir::Expr> const& conditions, LaunchNest const& nest,
                   std::vector<size_t> const& around, Warps warps = Warps::kDrawn);

}  // namespace tw::gpu
