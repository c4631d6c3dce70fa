/// The devices that a session may be asked to use, by the names that people gave them.
#pragma once

#include <string>
#include <vector>

#include "engine/history/history.h"
#include "engine/session/session.h"

namespace tw::session {

/// The first is this machine.
std::vector<std::string> known_devices(Options const& options);
/// Errors: no_devices, unknown_device.
Status check_device(Options const& options, std::string const& name);
/// Whether kernels run there. Errors: not_attached.
Status check_attached(std::string const& name);
/// Asked what it is. Errors: those of `check_device`, those of asking.
Result<ChosenDevice> open_device(Options const& options, std::string const& name, StopToken stop);
/// The child process that runs kernels here, and the backend for this processor.
ChosenDevice this_machine(Options const& options);

/// How many of a device's threads run a kernel; `wanted` = 0: all.
int threads_on(Backend const& backend, int wanted);
/// What the times of a device belong to; `title` is empty for this machine.
TriedOn tried_on(std::string const& title, Backend const& backend, int threads);

}  // namespace tw::session
