/// How programs of blocks and threads become device functions.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/lowering/pipeline.h"

namespace tw::gpu {

/// Who decides which small loops are written out: the device's compiler, or a pass. PoCL takes nine
/// times as long for a product whose sums are written out for it.
enum class SmallLoops : uint8_t { kLeft, kChosen };

/// To one host function whose statements are launches, and device functions of scalar code. Vector
/// and unrolled loops stay loops.
std::vector<Pass> launch_passes(SmallLoops small_loops);

/// Those up to flat tensors, with chosen loops, in one function, whatever of it is bound: what a
/// model of time reads.
std::vector<Pass> model_passes();

}  // namespace tw::gpu
