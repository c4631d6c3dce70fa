/// What runs call programs on a device: they become streams when they are called.
#pragma once

#include <memory>

#include "engine/runtime/device_runtime.h"
#include "targets/vta/runtime/driver.h"

namespace tw::vta {

struct ProcessorOptions {
  int64_t most_bytes = 0;                   ///< of all tensors
  std::chrono::milliseconds limit{10'000};  ///< of one run of the accelerator
};
std::unique_ptr<DeviceRuntime> create_vta_processor(std::unique_ptr<Driver> driver,
                                                    ProcessorOptions const& options);

}  // namespace tw::vta
