/// Sums over the threads of a block, by steps of a script.
#pragma once

#include <string>

#include "targets/shared/gpu/steps.h"

namespace tw::gpu {

/// The reduction loops of `block`, which are neighbours, are shared by threads along `axis`: each
/// adds every `threads`-th term, so that threads side by side read terms side by side. False: a
/// step is refused.
bool sum_over_threads(Steps& steps, std::string const& block, int64_t threads,
                      std::string const& axis = "threadIdx.x");

/// The reduction loops of a block as one loop, whose name is the result; empty: they are none, or
/// no neighbours.
std::string fused_reduction(Steps& steps, std::string const& block);

/// The iterations of a stage's loops below another one of them are shared by `threads` along x.
bool share_elements(Steps& steps, std::string const& block, std::vector<std::string> const& loops,
                    int64_t threads);

/// All threads of a block, `threads_x` side by side, compute a tile together: the loops of `block`
/// below `loop`; fewer of them one that is smaller. Loops are named after `prefix`.
bool share_tile(Steps& steps, std::string const& block, std::string const& loop,
                std::string const& prefix, int64_t threads_y, int64_t threads_x);

}  // namespace tw::gpu
