/// Requests that are a file of their own: what the device answers, and how a client asks. What
/// every device does (tensors, libraries, runs) is in Device and RequestHandler themselves.
#pragma once

#include <span>

#include "engine/device/messages.pb.h"
#include "engine/support/base/error.h"

namespace tw {

class RequestHandler;

/// A file of `requests/` defines one, as `RequestRow const& request_FILE()`; the build writes the
/// table.
struct RequestRow {
  wire::Request::KindCase kind;
  /// On the device. A client may send anything.
  Result<wire::Response> (*answer)(RequestHandler& handler, wire::Request const& request);
};
std::span<RequestRow const* const> request_table();

}  // namespace tw
