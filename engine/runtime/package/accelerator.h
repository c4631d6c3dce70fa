/// What runs steps of a package that are not its processor's: a library of their target's own,
/// which lies beside the runtime library and is loaded when a package asks for it.
#pragma once

#include <memory>
#include <string>

#include "engine/runtime/device_runtime.h"
#include "engine/runtime/package/description.h"

namespace tw::package {

/// "libtilewright_vta.so.1"
std::string accelerator_library(std::string const& target);

/// What such a library exports as `tw_open_accelerator_3`, built together with the runtime library.
/// `bytes`: of all tensors. `simulate`: the machine is a simulator in this process.
using OpenAccelerator = void (*)(MachineNeeds const& needs, int64_t bytes, bool simulate,
                                 Result<std::unique_ptr<DeviceRuntime>>& opened);
inline constexpr char kOpenAccelerator[] = "tw_open_accelerator_3";

/// Simulated where the environment says TILEWRIGHT_SIMULATE=1. Errors: wrong_processor (there is no
/// library for the target), those of the library's.
Result<std::unique_ptr<DeviceRuntime>> open_accelerator(Target const& target, int64_t bytes);

}  // namespace tw::package
