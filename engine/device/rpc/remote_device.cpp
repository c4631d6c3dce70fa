#include "engine/device/rpc/remote_device.h"

#include "engine/device/rpc/address.h"
#include "engine/device/rpc/rpc_line.h"
#include "engine/device/rpc/tokens.h"

namespace tw {

Result<std::unique_ptr<RemoteDevice>> RemoteDevice::create(RemoteDeviceOptions options) {
  TRY_ASSIGN(DeviceAddress address, parse_address(options.address));
  if (address.port == 0)
    return bad_input("bad_address", "the port of a device must be from 1 to 65535");
  TRY(check_secured(address, !options.certificate.empty(), !options.token.empty()));
  auto least = options.least_timeout;
  auto open = [options = std::move(options), address](CallOptions const& call) {
    RemoteDeviceOptions now = options;
    // A device here that was started without a token file has left one for its own user's programs.
    if (now.token.empty() && address.loopback) now.token = own_token(address.port);
    return open_rpc_line(now, call);
  };
  // Private constructor: make_unique cannot see it. A stop and its answer cross the network.
  return std::unique_ptr<RemoteDevice>(new RemoteDevice(
      std::move(open), std::chrono::milliseconds(1500), least,
      "; `tw devices add NAME ADDRESS --timeout SECONDS` gives the device longer"));
}

}  // namespace tw
