/// What runs kernels on a CUDA device: the driver compiles their PTX, and their launches are
/// interpreted.
#pragma once

#include <memory>

#include "engine/runtime/device_runtime.h"
#include "targets/cuda/runtime/devices.h"

namespace tw::cuda {

/// `most_bytes`: of all tensors. `driver` outlives it. Errors: no_such_hardware.
Result<std::unique_ptr<DeviceRuntime>> create_cuda_processor(Driver const& driver,
                                                             FoundDevice const& device,
                                                             int64_t most_bytes);

}  // namespace tw::cuda
