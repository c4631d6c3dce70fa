/// The CUDA devices of this machine.
#pragma once

#include <string_view>
#include <vector>

#include "engine/hardware/hardware.h"
#include "targets/cuda/runtime/driver.h"

namespace tw::cuda {

struct FoundDevice {
  CuDevice device = 0;
  Hardware hardware;
};

/// In the driver's order. Errors: no_such_hardware, whose message ends a sentence.
Result<std::vector<FoundDevice>> devices(Driver const& driver);

/// The first whose name contains `part`, whatever its case; of all where that is empty. Errors:
/// no_such_hardware, with the names there are.
Result<FoundDevice> find_device(Driver const& driver, std::string_view part);

}  // namespace tw::cuda
