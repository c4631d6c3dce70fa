/// Serves this machine as a device over gRPC. It runs no kernel itself: each client's stream has a
/// worker process of its own, and this process only passes frames on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/device/rpc/server_log.h"
#include "engine/device/rpc/tokens.h"
#include "engine/device/rpc/worker_watch.h"
#include "engine/support/base/error.h"

namespace tw {

struct RpcServerOptions {
  std::string listen = "127.0.0.1:0";  ///< HOST:PORT, the host a number or localhost; port 0: any
  std::string tls_certificate;         ///< PEM; empty: no TLS
  std::string tls_key;                 ///< PEM
  std::shared_ptr<Tokens> tokens;      ///< of which a client must know one; null: none asked for
  bool own_token = false;  ///< one is made for this user's programs on this machine; see tokens.h
  /// Starts a worker; " --fd N --folder F --memory-bytes M" is added.
  std::vector<std::string> worker;
  std::vector<std::string> environment;  ///< variables of this process that a worker gets, too
  bool workers_have_drivers = false;     ///< each has a child that does the work
  int64_t memory_bytes = 0;              ///< that one worker's tensors may take
  WorkerLimits limits;                   ///< that one worker may take in all
  double call_seconds = 120;             ///< that one request may take
  double idle_seconds = 3600;            ///< that a client may stay silent
  int most_clients = 8;
  double check_seconds = 30;  ///< between looks whether its own port still answers
  ServerLog log;              ///< told of clients and failures, one line each
};

class RpcServer {
public:
  /// Errors: bad_address, insecure_address, bad_server_options, server_unavailable; with
  /// `own_token` those of Tokens::make_own.
  static Result<std::unique_ptr<RpcServer>> start(RpcServerOptions options);
  virtual ~RpcServer() = default;  ///< ends every client's worker

  virtual int port() const = 0;
  /// Ends the streams and refuses new ones; `wait` returns.
  virtual void stop() = 0;
  /// Errors: server_deaf (its own port answers no more).
  virtual Status wait() = 0;
};

}  // namespace tw
