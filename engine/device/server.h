/// The device's side: answers requests until the client closes the connection.
#pragma once

#include <string>
#include <vector>

#include "engine/hardware/hardware.h"
#include "engine/runtime/device_runtime.h"

namespace tw {

/// `open_ways`: what the system does not stop a kernel from; told to clients.
/// Ends well when the client closes the connection between requests. A broken frame ends it with
/// an error. The process itself ends when the client goes away while a kernel runs.
Status serve_device(int socket, DeviceRuntime& processor, Hardware const& hardware,
                    std::vector<std::string> const& open_ways = {});

/// For a process that cannot be a device: answers the first request with why, so that the client
/// says it.
void refuse_client(int socket, Error const& why);

}  // namespace tw
