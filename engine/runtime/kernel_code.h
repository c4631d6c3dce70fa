/// What the codes mean that kernels return.
#pragma once

#include <string>

#include "engine/support/base/error.h"

namespace tw {

/// Of a kernel that would have divided an integer by zero. Processors differ in what they make of
/// that (some trap, some give 0), and compilers take it for impossible: kernels ask before.
inline constexpr int32_t kDividedByZero = 102;

/// Why a kernel ended with a code other than 0. Errors: division_by_zero, kernel_failed.
inline std::unexpected<Error> stopped_with(std::string const& kernel, int32_t code) {
  std::string const before = kernel.empty() ? "" : kernel + " ";
  if (code == kDividedByZero)
    return refused("division_by_zero", before + "divided an integer by zero");
  return refused("kernel_failed", before + "stopped with code " + std::to_string(code));
}

}  // namespace tw
