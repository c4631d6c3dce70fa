/// Libraries of the target out of C.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/support/base/error.h"

namespace tw::launches {

/// What every host file and every device file begins with: the table of `engine/runtime/abi.h` and
/// TRY(CALL), which returns a code; `LaunchPoint`.
extern char const kHostPrelude[], kDevicePrelude[];

/// By the C compiler of this machine. Errors: link_failed with its words.
Result<std::vector<std::byte>> compile_library(std::string const& host, std::string const& device);

}  // namespace tw::launches
