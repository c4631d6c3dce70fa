/// Takes connections in and hands them to gRPC. Whoever has not shown a token yet is bounded in
/// number, bytes and time; a system without descriptors left makes it wait, never deaf.
#pragma once

#include <grpcpp/server_builder.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/device/rpc/address.h"
#include "engine/device/rpc/server_log.h"

namespace tw {

struct ListenLimits {
  size_t strangers = 256;           ///< connections without a token so far; then the oldest goes
  size_t strangers_per_peer = 128;  ///< of them, from one address
  std::chrono::seconds patience{20};
  int64_t stranger_bytes = 16 << 10;  ///< TLS and a first request take some 2 KB
  int strangers_per_second = 100;     ///< of one address, that came and went without a token
  int64_t message_bytes = 0;  ///< without a whole message among them, from whoever has a token
  int refusals = 3;           ///< of streams; then the connection goes
};

class Listener {
public:
  /// Errors: server_unavailable.
  static Result<std::unique_ptr<Listener>> open(DeviceAddress const& address, ListenLimits limits,
                                                ServerLog log);
  ~Listener();
  Listener(Listener const&) = delete;

  int port() const { return port_; }
  /// Connections are accepted from now on.
  void start(std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor);
  void stop();

  /// `peer`: as gRPC names it. It has shown a token.
  void trust(std::string const& peer);
  /// A stream of it was refused.
  void count_refusal(std::string const& peer);
  /// A whole message of it has come.
  void count_message(std::string const& peer);

  /// The local port of a connection from here that is a question whether this one answers.
  void expect_own(int port) { own_port_ = port; }
  /// Why nothing can be accepted any more; empty: it can.
  std::string failure() const;

private:
  struct Connection {
    int socket = -1;   ///< before it is handed over the connection itself, then a second name of it
    std::string peer;  ///< as gRPC names it
    std::string host;
    std::chrono::steady_clock::time_point since;
    int64_t marked_bytes = 0;  ///< received up to the last whole message
    int refusals = 0;
    bool handed_over = false, trusted = false, own = false;
  };

  using Moment = std::chrono::steady_clock::time_point;
  /// An address whose strangers were a nuisance: for a while they are let in one by one.
  struct Host {
    Moment slow_until, next_turn, second;
    int went = 0;  ///< in that second
  };

  Listener(int socket, int port, ListenLimits limits, ServerLog log);
  void serve(std::stop_token stop);
  void accept_all();
  void add(int socket, std::string const& peer, std::string const& host, int port);
  void make_room(std::string const& host);
  void look_at(Connection& connection, short events);
  void close_ended(Connection& connection);
  bool may_enter(Connection const& connection);
  void slow_down(std::string const& host);
  bool any_slow() const;
  bool any_stranger_inside() const;
  static short events_of(Connection const& connection);
  void hand_over(Connection& connection);
  void end(Connection& connection, char const* why);
  Connection* find(std::string const& peer);

  int socket_ = -1, wake_ = -1, port_ = 0;
  ListenLimits limits_;
  ServerLog log_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::atomic<int> own_port_{-1};
  mutable std::mutex mutex_;
  std::vector<Connection> connections_;  ///< in the order they came
  std::map<std::string, Host> hosts_;    ///< of strangers, not for long
  std::string failure_;
  std::jthread server_;
};

/// "127.0.0.1:5000", "[::1]:5000": a peer as gRPC names it, for people.
std::string peer_text(std::string const& peer);

}  // namespace tw
