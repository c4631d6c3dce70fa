/// The pipeline of copies and arithmetic of one block, as the timeline that people see.
#pragma once

#include "engine/hardware/timeline.h"
#include "engine/target/target.h"
#include "targets/shared/gpu_pipeline/pipeline_advice.h"

namespace tw::gpu {

/// Of a launch's block on a multiprocessor beside the others that run there; of a long loop the
/// first turns and the last one. `launch`: what it is called.
Timeline pipeline_timeline(BlockProgram const& program, Multiprocessor const& unit,
                           Rates const& rates, std::string const& launch);

/// Of the launch of a lowered kernel that takes longest, with what is proven of the order of all of
/// them. Errors: those of `block_program`.
Result<Timeline> kernel_timeline(Target const& target, ir::KernelIr const& kernel,
                                 Multiprocessor const& unit, Rates const& rates);

}  // namespace tw::gpu
