/// Where a device listens: "127.0.0.1:50051", "board.local:50051", "[::1]:50051".
#pragma once

#include <string>
#include <string_view>

#include "engine/support/base/error.h"

namespace tw {

struct DeviceAddress {
  std::string host;       ///< without brackets
  int port = 0;           ///< 0..65535
  bool loopback = false;  ///< reaches this machine only
};

/// Errors: bad_address.
Result<DeviceAddress> parse_address(std::string_view text);
/// As `parse_address` reads it.
std::string to_text(DeviceAddress const& address);

/// What connects without TLS and a token is this machine's own. Errors: insecure_address.
Status check_secured(DeviceAddress const& address, bool encrypted, bool with_token);

}  // namespace tw
