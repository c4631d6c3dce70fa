/// Whether this machine's processor runs code that was made for another one.
#pragma once

#include "engine/hardware/machine_needs.h"
#include "engine/support/base/error.h"

namespace tw {

/// Asks the processor (and whether the system saves its wide registers). Errors: wrong_processor
/// with what is missing.
Status cpu_can_run(MachineNeeds const& needs);

}  // namespace tw
