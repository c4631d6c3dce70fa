/// What carries the gain of a kernel's schedule.
#pragma once

#include "engine/session/tuning.h"
#include "engine/session/use_cases.h"

namespace tw::session {

/// Times the kernel under the script without each of its steps, on the device. `threads`: 0 for all
/// cores of it. Errors: nothing_to_leave_out (the plain nest), those of scripts; not_right,
/// cancelled; those of the device.
Result<AblationView> ablate_script(LoadedModel const& model, int kernel, NamedScript const& script,
                                   Backend const& backend, Device& device, int threads,
                                   StopToken stop = {}, Progress const& progress = {});

}  // namespace tw::session
