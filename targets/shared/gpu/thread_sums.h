/// Sums over the threads of a block, by steps of a script.
#pragma once

#include <string>

#include "targets/shared/gpu/steps.h"

namespace tw::gpu {

struct ThreadSum {
  int64_t threads = 256;             ///< that add a part of the sum each
  std::string axis = "threadIdx.x";  ///< of these
  bool tree = true;                  ///< their parts are added by several threads, then by one
  bool rows = false;                 ///< the block makes sums of several rows at once
};

/// The reduction loops of `block`, neighbours in a nest with other blocks, are shared by threads:
/// each adds every `threads`-th term to a part in shared memory, so that threads side by side read
/// terms side by side. False: a step is refused.
bool sum_over_threads(Steps& steps, std::string const& block, ThreadSum const& sum);

/// The reduction loops of a block as one loop, whose name is the result; empty: they are none, or
/// no neighbours.
std::string fused_reduction(Steps& steps, std::string const& block);

/// Partial sums over the iterations of a reduction loop are a block of their own, whose name is the
/// result; empty: refused.
std::string factored(Steps& steps, std::string const& loop);

/// The loop of the block's first axis, as scripts name it.
std::string first_axis(Steps const& steps, std::string const& block);

}  // namespace tw::gpu
