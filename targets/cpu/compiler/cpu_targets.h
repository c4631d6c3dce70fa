/// The processors that code can be made for by name.
#pragma once

#include <string>
#include <vector>

#include "engine/hardware/hardware.h"

namespace tw {

/// "cpu" is the processor of this machine; "cpu:x86-64-v3", "cpu:x86-64-v4",
/// "cpu:x86-64-amx", "cpu:aarch64", "cpu:aarch64-dotprod", "cpu:aarch64-i8mm" and "cpu:armv7" are
/// what every processor of that level has. Errors: unknown_target.
Result<Hardware> cpu_target(std::string const& name);

std::vector<std::string> cpu_target_names();

/// "znver4, x86_64-linux-gnu": all that LLVM is told, but for the long list of features.
std::string cpu_kind(Hardware const& hardware);

}  // namespace tw
