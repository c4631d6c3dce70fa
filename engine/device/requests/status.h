/// What a device says of the moment: its clock, its load, what it holds for this client.
#pragma once

#include "engine/device/device.h"

namespace tw {

/// Errors: those of every call; unknown_request (an older device does not tell).
Result<DeviceStatus> ask_status(Device& device, CallOptions const& options);

}  // namespace tw
