/// LLVM's code generator for NVIDIA's GPUs.
#pragma once

#include "targets/shared/llvm/device_module.h"
#include "targets/shared/llvm/machine.h"

namespace tw::cuda {

/// For "sm_90a". Errors: unknown_processor.
Result<Machine> create_nvptx_machine(std::string const& architecture, std::string generator);

DeviceKind const& nvptx_kind();

}  // namespace tw::cuda
