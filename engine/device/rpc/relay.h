/// Passes frames between a client's stream and its worker, and ends the worker that breaks a limit.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <string>

#include "engine/device/rpc/rpc_server.h"
#include "engine/device/rpc/service.grpc.pb.h"
#include "engine/device/rpc/worker_watch.h"

namespace tw {

using ServerStream = grpc::ServerReaderWriter<rpc::Frame, rpc::Frame>;

/// Who is served.
struct Client {
  std::string name;   ///< for people: where it is, and whose token it has
  std::string token;  ///< empty: none was asked for
  std::function<void()> message_came;
};

/// Returns when the client went away, the worker ended or a limit was broken; the worker is gone
/// then.
grpc::Status relay(grpc::ServerContext& context, ServerStream& stream,
                   RpcServerOptions const& options, WorkerWatch& watch, Client const& client);

}  // namespace tw
