/// A server's question to itself.
#pragma once

#include <functional>

#include "engine/device/rpc/address.h"

namespace tw {

/// Connects as a client would and waits for the first bytes of an answer. `from`: is told the port
/// of this end before it connects. Errors: server_deaf.
Status ask_own_port(DeviceAddress const& address, bool encrypted,
                    std::function<void(int port)> const& from);

}  // namespace tw
