/// A device behind a network: `tw-device serve` at the other end of a gRPC stream.
#pragma once

#include <chrono>
#include <string>

#include "engine/device/wire_device.h"

namespace tw {

struct RemoteDeviceOptions {
  std::string address;      ///< HOST:PORT
  std::string certificate;  ///< PEM: the only one that the device's may come from; empty: no TLS
  std::string token;        ///< empty: on this machine the one that a device leaves for its user
  std::chrono::milliseconds connect_timeout{10'000};
  /// A line over which nothing came back for so long is lost.
  std::chrono::milliseconds silence{20'000};
  /// What a call may take at least, whatever its caller thought of a faster machine.
  std::chrono::milliseconds least_timeout{0};
};

class RemoteDevice final : public WireDevice {
public:
  /// Connects with the first call that needs it, and again after a line was lost.
  /// Errors: bad_address, insecure_address.
  static Result<std::unique_ptr<RemoteDevice>> create(RemoteDeviceOptions options);

private:
  using WireDevice::WireDevice;
};

}  // namespace tw
