/// What gRPC says, in our words.
#pragma once

#include <grpcpp/support/status.h>

#include <string>

#include "engine/support/base/error.h"

namespace tw {

/// Why a stream to `address` ended; `connected`: the device had answered before. `certificate`:
/// that the device's may come from, PEM; when that is out of date it is said.
Error error_of(grpc::Status const& status, std::string const& address, bool connected,
               std::string const& certificate = {});

/// gRPC writes its own lines to standard error: our errors say the same.
void keep_grpc_silent();

}  // namespace tw
