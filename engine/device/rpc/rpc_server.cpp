#include "engine/device/rpc/rpc_server.h"

#include <grpcpp/grpcpp.h>

#include <atomic>

#include "engine/device/channel.h"
#include "engine/device/rpc/address.h"
#include "engine/device/rpc/relay.h"
#include "engine/device/rpc/rpc_line.h"
#include "engine/device/rpc/rpc_words.h"
#include "engine/device/rpc/worker.h"

namespace tw {
namespace {

using enum grpc::StatusCode;

/// Takes as long wherever the two differ.
bool same_secret(std::string_view given, std::string_view right) {
  unsigned difference = given.size() == right.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i)
    difference |= unsigned(given[i]) ^ unsigned(right[i % right.size()]);
  return difference == 0;
}

std::string_view metadata_of(grpc::ServerContext const& context, char const* key) {
  auto found = context.client_metadata().find(key);
  if (found == context.client_metadata().end()) return {};
  return {found->second.data(), found->second.size()};
}

class DeviceService final : public rpc::Device::Service {
public:
  explicit DeviceService(RpcServerOptions const& options) : options_(options) {}

  grpc::Status Open(grpc::ServerContext* context, ServerStream* stream) override {
    if (grpc::Status status = admit(*context); !status.ok()) {
      if (options_.log) options_.log(context->peer() + " was refused: " + status.error_message());
      return status;
    }
    struct Place {
      std::atomic<int>& taken;
      ~Place() { --taken; }
    } place{clients_};
    if (++clients_ > options_.most_clients)
      return {RESOURCE_EXHAUSTED,
              "it serves " + std::to_string(options_.most_clients) + " clients already"};
    if (options_.log) options_.log(context->peer() + " connected");
    grpc::Status status = relay(*context, *stream, options_);
    if (options_.log) options_.log(context->peer() + " left");
    return status;
  }

private:
  grpc::Status admit(grpc::ServerContext const& context) const {
    constexpr std::string_view kScheme = "Bearer ";
    std::string_view given = metadata_of(context, "authorization");
    if (!options_.token.empty()) {
      bool known =
          given.starts_with(kScheme) && same_secret(given.substr(kScheme.size()), options_.token);
      if (!known) return {UNAUTHENTICATED, "no token, or a wrong one"};
    }
    if (metadata_of(context, kProtocolKey) != kProtocol)
      return {FAILED_PRECONDITION,
              std::string("it speaks protocol ") + kProtocol + ", and the client another"};
    return grpc::Status::OK;
  }

  RpcServerOptions const& options_;
  std::atomic<int> clients_{0};
};

class RpcServerImpl final : public RpcServer {
public:
  explicit RpcServerImpl(RpcServerOptions options)
      : options_(std::move(options)), service_(options_) {}
  ~RpcServerImpl() override { stop(); }

  Status listen(DeviceAddress const& address);
  int port() const override { return port_; }
  void stop() override {
    if (server_) server_->Shutdown(std::chrono::system_clock::now());
  }
  void wait() override { server_->Wait(); }

private:
  void configure(grpc::ServerBuilder& builder) const;

  RpcServerOptions options_;
  DeviceService service_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
};

void RpcServerImpl::configure(grpc::ServerBuilder& builder) const {
  int cap = int(kMostFrameBytes) + (1 << 16);
  builder.SetMaxReceiveMessageSize(cap);
  builder.SetMaxSendMessageSize(cap);
  // Two servers on one port would share its clients: the second one must fail.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
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

Status RpcServerImpl::listen(DeviceAddress const& address) {
  grpc::ServerBuilder builder;
  configure(builder);
  std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials();
  if (!options_.tls_certificate.empty()) {
    grpc::SslServerCredentialsOptions tls;
    tls.pem_key_cert_pairs.push_back({options_.tls_key, options_.tls_certificate});
    credentials = grpc::SslServerCredentials(tls);
  }
  builder.AddListeningPort(to_text(address), credentials, &port_);
  builder.RegisterService(&service_);
  server_ = builder.BuildAndStart();
  if (server_ == nullptr || port_ == 0) {
    std::string perhaps = options_.tls_certificate.empty()
                              ? ""
                              : ", or its certificate and key are no pair in PEM form";
    return environment_failed("server_unavailable",
                              "the device cannot listen on " + to_text(address) +
                                  ": the port is taken or not allowed" + perhaps);
  }
  return {};
}

Status check_options(RpcServerOptions const& options) {
  if (options.tls_certificate.empty() != options.tls_key.empty())
    return bad_input("bad_server_options", "TLS takes a certificate and its key, both");
  bool sane = !options.worker.empty() && options.memory_bytes > 0 && options.call_seconds > 0 &&
              options.idle_seconds > 0 && options.most_clients > 0 && options.most_clients <= 1024;
  if (!sane) return bad_input("bad_server_options", "a limit of the device is out of range");
  return {};
}

}  // namespace

Result<std::unique_ptr<RpcServer>> RpcServer::start(RpcServerOptions options) {
  keep_grpc_silent();
  TRY_ASSIGN(DeviceAddress address, parse_address(options.listen));
  bool named = address.host.find_first_not_of("0123456789abcdefABCDEF:.") != std::string::npos;
  if (named && address.host != "localhost")
    return bad_input("bad_address", "a device listens on a number or localhost, not on '" +
                                        address.host + "'; 0.0.0.0 is every interface");
  TRY(check_secured(address, !options.tls_certificate.empty(), !options.token.empty()));
  TRY(check_options(options));
  remove_abandoned_folders();
  auto server = std::make_unique<RpcServerImpl>(std::move(options));
  TRY(server->listen(address));
  return server;
}

}  // namespace tw
