/// The devices that a session may be asked to use, by the names that people gave them.
#pragma once

#include <string>
#include <vector>

#include "engine/session/session.h"

namespace tw::session {

/// The first is this machine.
std::vector<std::string> known_devices(Options const& options);
/// Errors: no_devices, unknown_device.
Status check_device(Options const& options, std::string const& name);
/// Asked what it is. Errors: those of `check_device`, those of asking.
Result<ChosenDevice> open_device(Options const& options, std::string const& name, StopToken stop);
/// The child process that runs kernels here, and the backend for this processor.
ChosenDevice this_machine(Options const& options);

}  // namespace tw::session
