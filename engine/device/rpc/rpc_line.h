/// A line over gRPC: two threads between a local pair of sockets and a stream.
#pragma once

#include "engine/device/connection.h"
#include "engine/device/rpc/remote_device.h"

namespace tw {

/// What both ends say about their messages; another number is refused.
constexpr char kProtocolKey[] = "tilewright-protocol";
constexpr char kProtocol[] = "2";
constexpr uint32_t kWorkerEndKind = 16;
/// What somebody can do about a message whose bytes are not those that were sent.
constexpr char kChangedHint[] = "the network in between is faulty";
/// What a client says is cut into pieces of this size: gRPC takes in a whole message before anybody
/// can judge its length, so a device lets it have no more than a few pieces.
constexpr size_t kPieceBytes = 256 << 10;

/// Errors: device_unavailable, device_refused, cancelled.
Result<std::unique_ptr<Connection>> open_rpc_line(RemoteDeviceOptions const& options,
                                                  CallOptions const& call);

}  // namespace tw
