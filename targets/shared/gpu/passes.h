/// How programs of blocks and threads become device functions.
#pragma once

#include <vector>

#include "engine/lowering/pipeline.h"

namespace tw::gpu {

/// To one host function whose statements are launches, and device functions of scalar code. Vector
/// and unrolled loops stay loops.
std::vector<Pass> launch_passes();

/// Those up to flat tensors in one function, whatever of it is bound: what a model of time reads.
std::vector<Pass> model_passes();

}  // namespace tw::gpu
