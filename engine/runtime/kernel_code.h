/// What the codes mean that kernels return.
#pragma once

#include <string>

#include "engine/support/base/error.h"
#include "engine/support/base/kernel_codes.h"

namespace tw {

/// Why a kernel ended with a code other than 0. Errors: division_by_zero, no_device_functions,
/// kernel_failed.
inline std::unexpected<Error> stopped_with(std::string const& kernel, int32_t code) {
  if (code == kDividedByZero)
    return refused("division_by_zero", kernel + " divided an integer by zero");
  if (code == kNoDeviceFunctions)
    return refused("no_device_functions",
                   kernel + " starts functions on a device, and this processor has none");
  return refused("kernel_failed", kernel + " stopped with code " + std::to_string(code));
}

}  // namespace tw
