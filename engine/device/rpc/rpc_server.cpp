#include "engine/device/rpc/rpc_server.h"

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/device/channel.h"
#include "engine/device/rpc/address.h"
#include "engine/device/rpc/certificate.h"
#include "engine/device/rpc/listener.h"
#include "engine/device/rpc/own_port.h"
#include "engine/device/rpc/relay.h"
#include "engine/device/rpc/rpc_line.h"
#include "engine/device/rpc/rpc_words.h"
#include "engine/device/rpc/worker.h"

namespace tw {
namespace {

using enum grpc::StatusCode;

constexpr int64_t kAheadBytes = 2 << 20;

std::string_view metadata_of(grpc::ServerContext const& context, char const* key) {
  auto found = context.client_metadata().find(key);
  if (found == context.client_metadata().end()) return {};
  return {found->second.data(), found->second.size()};
}

constexpr std::string_view kScheme = "Bearer ";

std::optional<std::string> client_of(Tokens& tokens, std::string_view authorization) {
  if (!authorization.starts_with(kScheme)) return tokens.client_of("");
  return tokens.client_of(authorization.substr(kScheme.size()));
}

/// Asks for the token before a stream takes one of the server's threads: of those whoever opens
/// and resets streams could take all.
class TokenCheck final : public grpc::AuthMetadataProcessor {
public:
  explicit TokenCheck(std::shared_ptr<Tokens> tokens) : tokens_(std::move(tokens)) {}
  bool IsBlocking() const override { return false; }
  grpc::Status Process(InputMetadata const& metadata, grpc::AuthContext*, OutputMetadata*,
                       OutputMetadata*) override {
    auto found = metadata.find("authorization");
    std::string_view given;
    if (found != metadata.end()) given = {found->second.data(), found->second.size()};
    if (client_of(*tokens_, given)) return grpc::Status::OK;
    return {UNAUTHENTICATED, "no token, or a wrong one"};
  }

private:
  std::shared_ptr<Tokens> tokens_;
};

class DeviceService final : public rpc::Device::Service {
public:
  DeviceService(RpcServerOptions const& options, std::unique_ptr<Listener>& listener)
      : options_(options), listener_(listener), watch_(options.limits) {}

  grpc::Status Open(grpc::ServerContext* context, ServerStream* stream) override {
    std::string peer = peer_text(context->peer());
    Client client{peer, {}, {}};
    if (grpc::Status status = admit(*context, client); !status.ok()) {
      listener_->count_refusal(context->peer());
      log(peer + " was refused: " + status.error_message());
      return status;
    }
    listener_->trust(context->peer());
    struct Place {
      std::atomic<int>& taken;
      ~Place() { --taken; }
    } place{clients_};
    if (++clients_ > options_.most_clients)
      return {RESOURCE_EXHAUSTED,
              "it already serves " + std::to_string(options_.most_clients) + " clients"};
    log(client.name + " connected");
    client.message_came = [this, context] { listener_->count_message(context->peer()); };
    grpc::Status status = relay(*context, *stream, options_, watch_, client);
    log(client.name + " left");
    return status;
  }

private:
  void log(std::string const& line) const {
    if (options_.log) options_.log(LogTopic::kConnections, line);
  }

  grpc::Status admit(grpc::ServerContext const& context, Client& client) const {
    std::string_view given = metadata_of(context, "authorization");
    if (options_.tokens) {
      auto name = client_of(*options_.tokens, given);
      if (!name) return {UNAUTHENTICATED, "no token, or a wrong one"};  // revoked just now
      client.name += " (" + *name + ")";
      client.token = given.substr(kScheme.size());
    }
    if (metadata_of(context, kProtocolKey) != kProtocol)
      return {FAILED_PRECONDITION, std::string("it uses protocol version ") + kProtocol +
                                       ", and the client a different one"};
    return grpc::Status::OK;
  }

  RpcServerOptions const& options_;
  std::unique_ptr<Listener>& listener_;
  WorkerWatch watch_;
  std::atomic<int> clients_{0};
};

class RpcServerImpl final : public RpcServer {
public:
  explicit RpcServerImpl(RpcServerOptions options)
      : options_(std::move(options)), service_(options_, listener_) {}
  ~RpcServerImpl() override {
    check_ = {};
    stop();
    if (server_) server_->Wait();
    server_.reset();
  }

  Status listen(DeviceAddress const& address);
  int port() const override { return listener_->port(); }
  void stop() override {
    if (listener_) listener_->stop();
    if (server_) server_->Shutdown(std::chrono::system_clock::now());
  }
  Status wait() override;

private:
  void configure(grpc::ServerBuilder& builder) const;
  std::shared_ptr<grpc::ServerCredentials> credentials_of() const;
  void watch_port(std::stop_token stop, DeviceAddress const& address);
  void go_deaf(std::string const& why);

  RpcServerOptions options_;
  std::unique_ptr<Listener> listener_;
  DeviceService service_;
  std::unique_ptr<grpc::Server> server_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::string deaf_;  ///< why it answers no more
  std::jthread check_;
};

void RpcServerImpl::configure(grpc::ServerBuilder& builder) const {
  builder.SetMaxReceiveMessageSize(int(kPieceBytes) + (1 << 16));
  builder.SetMaxSendMessageSize(int(kMostFrameBytes) + (1 << 16));
  // What a client may send ahead of what was read: more than this at once is no client of ours.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, int(kAheadBytes));
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, 20'000);
  // A client that fell silent is gone; clients may ask the same of us every five seconds.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 100);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 2);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, 16 << 10);
  grpc::ResourceQuota quota("tw-device");
  quota.SetMaxThreads(3 * options_.most_clients + 16);
  builder.SetResourceQuota(quota);
}

std::shared_ptr<grpc::ServerCredentials> RpcServerImpl::credentials_of() const {
  std::shared_ptr<grpc::ServerCredentials> credentials;
  if (!options_.tls_certificate.empty()) {
    grpc::SslServerCredentialsOptions tls;
    tls.pem_key_cert_pairs.push_back({options_.tls_key, options_.tls_certificate});
    credentials = grpc::SslServerCredentials(tls);
  } else if (options_.tokens) {
    // The same words as without any, and only of this machine's clients; but a token can be asked.
    credentials = grpc::experimental::LocalServerCredentials(LOCAL_TCP);
  } else {
    return grpc::InsecureServerCredentials();
  }
  if (options_.tokens)
    credentials->SetAuthMetadataProcessor(std::make_shared<TokenCheck>(options_.tokens));
  return credentials;
}

Status RpcServerImpl::listen(DeviceAddress const& address) {
  ListenLimits limits;
  limits.message_bytes = 3 * kAheadBytes;
  TRY_ASSIGN(listener_, Listener::open(address, limits, options_.log));
  if (options_.own_token) {
    TRY_ASSIGN(options_.tokens, Tokens::make_own(listener_->port()));
  }
  grpc::ServerBuilder builder;
  configure(builder);
  std::shared_ptr<grpc::ServerCredentials> credentials = credentials_of();
  // Its own listener ends for good when there are no descriptors left for a moment.
  using grpc::ServerBuilder;
  auto acceptor = builder.experimental().AddExternalConnectionAcceptor(
      ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, credentials);
  builder.RegisterService(&service_);
  server_ = builder.BuildAndStart();
  if (server_ == nullptr)
    return environment_failed("server_unavailable", "the device cannot serve: gRPC does not start");
  listener_->start(std::move(acceptor));
  DeviceAddress own{address.host, listener_->port()};
  check_ = std::jthread([this, own](std::stop_token stop) { watch_port(std::move(stop), own); });
  return {};
}

void RpcServerImpl::go_deaf(std::string const& why) {
  {
    std::lock_guard lock(mutex_);
    deaf_ = why;
  }
  if (options_.log) options_.log(LogTopic::kServer, "it ends: " + why);
  server_->Shutdown(std::chrono::system_clock::now());
}

/// A device that nobody can reach must end, so that whoever started it starts it again.
void RpcServerImpl::watch_port(std::stop_token stop, DeviceAddress const& address) {
  constexpr int kMostFailures = 3;
  bool encrypted = !options_.tls_certificate.empty();
  auto between = std::chrono::duration<double>(options_.check_seconds);
  int failures = 0;
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (wake_.wait_for(lock, stop, between, [] { return false; }) || stop.stop_requested()) return;
    lock.unlock();
    Status answers =
        ask_own_port(address, encrypted, [this](int port) { listener_->expect_own(port); });
    failures = answers ? 0 : failures + 1;
    if (std::string failure = listener_->failure(); !failure.empty()) return go_deaf(failure);
    if (failures >= kMostFailures)
      return go_deaf("its own port " + to_text(address) +
                     " no longer answers: " + answers.error().message);
    lock.lock();
  }
}

Status RpcServerImpl::wait() {
  server_->Wait();
  std::lock_guard lock(mutex_);
  if (deaf_.empty()) return {};
  return environment_failed("server_deaf", deaf_);
}

Status check_options(RpcServerOptions const& options) {
  if (options.tls_certificate.empty() != options.tls_key.empty())
    return bad_input("bad_server_options", "TLS needs both a certificate and its key");
  if (!options.tls_key.empty() && !is_pair(options.tls_certificate, options.tls_key))
    return bad_input("bad_server_options",
                     "the certificate and the key do not belong together, or are not in PEM form");
  bool sane = !options.worker.empty() && options.memory_bytes > 0 && options.call_seconds > 0 &&
              options.idle_seconds > 0 && options.check_seconds > 0 && options.most_clients > 0 &&
              options.most_clients <= 1024;
  if (!sane) return bad_input("bad_server_options", "a limit of the device is out of range");
  return {};
}

}  // namespace

Result<std::unique_ptr<RpcServer>> RpcServer::start(RpcServerOptions options) {
  keep_grpc_silent();
  TRY_ASSIGN(DeviceAddress address, parse_address(options.listen));
  bool named = address.host.find_first_not_of("0123456789abcdefABCDEF:.") != std::string::npos;
  if (named && address.host != "localhost")
    return bad_input("bad_address", "a device listens on an IP address or localhost, not on '" +
                                        address.host + "'; 0.0.0.0 means every interface");
  TRY(check_secured(address, !options.tls_certificate.empty(), options.tokens != nullptr));
  TRY(check_options(options));
  remove_abandoned_folders();
  auto server = std::make_unique<RpcServerImpl>(std::move(options));
  TRY(server->listen(address));
  return server;
}

}  // namespace tw
