/// What runs kernels on an OpenCL device: it builds their C and interprets their launches.
#pragma once

#include <memory>

#include "engine/runtime/device_runtime.h"
#include "targets/opencl/runtime/devices.h"

namespace tw::opencl {

/// `most_bytes`: of all tensors. Errors: no_such_hardware.
Result<std::unique_ptr<DeviceRuntime>> create_opencl_processor(FoundDevice const& device,
                                                               int64_t most_bytes);
/// The same by other functions than the loader's, which must outlive it.
Result<std::unique_ptr<DeviceRuntime>> create_opencl_processor(Functions const& with,
                                                               FoundDevice const& device,
                                                               int64_t most_bytes);

}  // namespace tw::opencl
