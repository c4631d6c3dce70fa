/// A way to the process that runs kernels: a socket of frames, and what became of the other end.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "engine/device/device.h"

namespace tw {

/// Why nothing more comes over a line.
struct ConnectionEnd {
  int signal = 0;              ///< that ended the process; 0: none did
  int code = 0;                ///< that it ended with, when no signal did
  double time_limit = 0;       ///< seconds of the device's own limit for a call, when that was it
  std::string broken_limit;    ///< another limit of the device's, in words
  std::optional<Error> error;  ///< where more is known: the connection broke, a token was refused
};

/// Going away ends the process at the other end.
class Connection {
public:
  virtual ~Connection() = default;
  virtual int socket() const = 0;
  /// Whether another request may be sent.
  virtual bool open() = 0;
  /// Ends the process at once, whatever it does.
  virtual void cut() = 0;
  /// After the socket was closed from the other end: waits a moment until it is known why.
  virtual ConnectionEnd wait_for_end() = 0;
};

/// Errors: device_unavailable, and what a line refuses for (a token, a certificate).
using OpenConnection = std::function<Result<std::unique_ptr<Connection>>(CallOptions const&)>;

}  // namespace tw
