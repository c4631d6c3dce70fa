/// Whether this machine can run a package's code.
#pragma once

#include "engine/runtime/package/description.h"

namespace tw::package {

/// The architecture that this was compiled for: "x86_64", "aarch64".
std::string_view own_architecture();

/// Asks the processor (and whether the system saves its wide registers). Errors: wrong_processor
/// with what is missing.
Status check_processor(Target const& target);

}  // namespace tw::package
