/// OpenCL devices as a target: C that the device's own driver compiles.
#pragma once

#include "engine/backend/backend.h"

namespace tw::opencl {

/// Where the threads of a work-group meet.
inline constexpr char kBarrierName[] = "work_group_barrier";

/// Errors: wrong_processor.
Result<std::shared_ptr<Backend const>> create_opencl_backend(Hardware const& hardware);

}  // namespace tw::opencl
