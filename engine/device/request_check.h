/// What is wrong with a request whatever the device holds: its own numbers and texts.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "engine/device/messages.pb.h"
#include "engine/runtime/package/description.h"
#include "engine/runtime/timer.h"
#include "engine/support/base/error.h"

namespace tw {

/// Errors: bad_thread_count, too_many_steps.
Status check_run(wire::Run const& run);
/// Errors: bad_timing.
Result<TimingOptions> timing_options_of(wire::Time const& time);
/// One that a device runs whole. Errors: those of package::parse_description, bad_package.
Result<package::Description> network_of(std::string const& description);

/// All of a request that can be checked before anybody acts on it. `check_library`: of a
/// DriverProfile. Errors: those above, those of a library, unknown_request.
Status check_request(wire::Request const& request,
                     Status (*check_library)(std::span<std::byte const>));

}  // namespace tw
