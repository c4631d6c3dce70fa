/// The OpenCL devices of this machine.
#pragma once

#include <vector>

#include "engine/hardware/hardware.h"
#include "targets/opencl/runtime/opencl_functions.h"

namespace tw::opencl {

struct FoundDevice {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  Hardware hardware;
};

/// GPUs first, then accelerators, then processors; of a kind in the loader's order. Errors:
/// no_such_hardware, whose message ends a sentence.
Result<std::vector<FoundDevice>> devices();

/// The first whose name contains `part`, whatever its case; of all where that is empty. Errors:
/// no_such_hardware, with the names there are.
Result<FoundDevice> find_device(std::string_view part);

}  // namespace tw::opencl
