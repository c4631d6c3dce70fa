/// What a kernel takes of a GPU, judged without one: registers and spills as ptxas counts them,
/// occupancy with what limits it, waves.
#pragma once

#include "engine/backend/backend.h"
#include "engine/hardware/occupancy.h"
#include "targets/cuda/compiler/toolkit.h"
#include "targets/shared/gpu/launch_shape.h"

namespace tw::cuda {

/// Errors: wrong_processor.
Result<gpu::Multiprocessor> multiprocessor_of(Hardware const& hardware);

/// A device function as it is launched.
struct LaunchedFunction {
  std::string name;
  gpu::LaunchShape shape;
  int64_t shared_bytes = 0;  ///< that its tensors take
  bool is_given = false;     ///< the launch gives them, the function declares none
};

/// A few lines for each function. `assembled`: of all functions, or why there is none.
CodeListing resources_listing(std::string const& key, Hardware const& hardware,
                              gpu::Multiprocessor const& unit,
                              std::vector<LaunchedFunction> const& functions,
                              Result<Assembled> const& assembled);

}  // namespace tw::cuda
