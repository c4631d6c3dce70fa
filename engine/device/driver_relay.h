/// A device in two processes: the one that speaks to a client, which is confined, and the one that
/// owns the driver, which cannot be.
#pragma once

#include "engine/device/driver_profile.h"

namespace tw {

/// Parses and checks what comes over the socket `client`, and passes requests on to `driver`,
/// written anew; refuses the others itself. What the driver answers goes back as it is: a client
/// believes no device. Returns when the client goes, when something comes that is no request
/// (malformed_frame), or when the driver ends, which it must not before the client does
/// (device_lost).
Status relay_to_driver(int client, int driver, DriverProfile const& profile);

}  // namespace tw
