/// What a launch asks of a GPU, as `KernelLaunches` has it.
#pragma once

#include "engine/hardware/launches.h"
#include "engine/ir/program.h"
#include "engine/ir/text.h"
#include "targets/shared/gpu/launch_shape.h"
#include "targets/shared/gpu/warp_accesses.h"

namespace tw::gpu {

struct Warps {
  int threads = 32;       ///< that step together
  int64_t alignment = 0;  ///< as `warp_accesses` has it, both
  CallAccesses calls = {};
};

/// Everything but registers. `name`: of its code. `printed`: of the kernel that it is of, whose
/// lines accesses refer to.
LaunchReport launch_report(std::string name, ir::Function const& device_function,
                           LaunchShape const& shape, ir::PrintedProgram const& printed,
                           Warps const& warps);

}  // namespace tw::gpu
