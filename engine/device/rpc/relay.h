/// Passes frames between a client's stream and its worker, and ends the worker that breaks a limit.
#pragma once

#include <grpcpp/grpcpp.h>

#include "engine/device/rpc/rpc_server.h"
#include "engine/device/rpc/service.grpc.pb.h"

namespace tw {

using ServerStream = grpc::ServerReaderWriter<rpc::Frame, rpc::Frame>;

/// Returns when the client went away, the worker ended or a limit was broken; the worker is gone
/// then.
grpc::Status relay(grpc::ServerContext& context, ServerStream& stream,
                   RpcServerOptions const& options);

}  // namespace tw
