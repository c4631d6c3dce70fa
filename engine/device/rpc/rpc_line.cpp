#include "engine/device/rpc/rpc_line.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "engine/device/channel.h"
#include "engine/device/rpc/frame_checksum.h"
#include "engine/device/rpc/rpc_words.h"
#include "engine/device/rpc/service.grpc.pb.h"

namespace tw {
namespace {

using namespace std::chrono;

grpc::ChannelArguments channel_arguments(RemoteDeviceOptions const& options) {
  grpc::ChannelArguments arguments;
  int cap = int(kMostFrameBytes) + (1 << 16);
  arguments.SetMaxReceiveMessageSize(cap);
  arguments.SetMaxSendMessageSize(cap);
  // A connection of its own: a new line must not wait for the pause after an old one's failure.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  int silence = int(options.silence.count());
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, silence / 2);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, silence / 2);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  return arguments;
}

std::shared_ptr<grpc::Channel> make_channel(RemoteDeviceOptions const& options) {
  std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
  if (!options.certificate.empty())
    credentials = grpc::SslCredentials({.pem_root_certs = options.certificate});
  return grpc::CreateCustomChannel("dns:///" + options.address, credentials,
                                   channel_arguments(options));
}

class RpcLine final : public Connection {
public:
  explicit RpcLine(RemoteDeviceOptions const& options)
      : address_(options.address),
        certificate_(options.certificate),
        stub_(rpc::Device::NewStub(make_channel(options))) {
    context_.AddMetadata(kProtocolKey, kProtocol);
    if (!options.token.empty()) context_.AddMetadata("authorization", "Bearer " + options.token);
  }
  ~RpcLine() override;

  Status begin(milliseconds timeout, StopToken const& stop);

  int socket() const override { return near_; }
  bool open() override {
    std::lock_guard lock(mutex_);
    return connected_ && !ended_;
  }
  void cut() override { context_.TryCancel(); }
  ConnectionEnd wait_for_end() override;

private:
  void receive();  // thread: from the stream to the socket
  std::optional<rpc::WorkerEnd> pass_on(bool& more);
  void transmit();  // thread: from the socket to the stream
  bool write_pieces(Frame const& whole);
  ConnectionEnd explain(grpc::Status const& status) const;

  std::string address_, certificate_;
  std::unique_ptr<rpc::Device::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<rpc::Frame, rpc::Frame>> stream_;
  int near_ = -1, far_ = -1;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool connected_ = false;  ///< written by the receiver only
  bool ended_ = false;
  bool changed_on_its_way_ = false;  ///< the last frame; written and read by the receiver
  ConnectionEnd end_;
  std::thread receiver_;
};

Status RpcLine::begin(milliseconds timeout, StopToken const& stop) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return environment_failed("device_unavailable", "no socket for the device can be created");
  near_ = ends[0];
  far_ = ends[1];
  receiver_ = std::thread([this] { receive(); });
  std::unique_lock lock(mutex_);
  bool known = changed_.wait_for(lock, stop, timeout, [this] { return connected_ || ended_; });
  if (connected_) return {};
  if (known) return std::unexpected(*end_.error);
  if (stop.stop_requested()) return refused("cancelled", "the work on the device was cancelled");
  return environment_failed("device_unavailable",
                            fmt::format("the device at {} did not answer within {:g} s", address_,
                                        duration<double>(timeout).count()));
}

RpcLine::~RpcLine() {
  if (near_ >= 0) shutdown(near_, SHUT_RDWR);  // the transmitter then says that nothing more comes
  if (receiver_.joinable()) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, milliseconds(connected_ ? 300 : 0), [this] { return ended_; }))
      context_.TryCancel();
    lock.unlock();
    receiver_.join();
  }
  for (int socket : {near_, far_})
    if (socket >= 0) close(socket);
}

void RpcLine::receive() {
  stream_ = stub_->Open(&context_);  // waits for the connection
  stream_->WaitForInitialMetadata();
  auto const& metadata = context_.GetServerInitialMetadata();
  bool connected = metadata.contains(kProtocolKey);
  std::thread transmitter;
  if (connected) {
    transmitter = std::thread([this] { transmit(); });
    std::lock_guard lock(mutex_);
    connected_ = true;
    changed_.notify_all();
  }
  bool more = true;
  std::optional<rpc::WorkerEnd> last = pass_on(more);
  shutdown(far_, SHUT_RDWR);
  if (transmitter.joinable()) transmitter.join();
  if (more && !last) context_.TryCancel();  // whatever else it says is not wanted
  grpc::Status status = stream_->Finish();
  std::lock_guard lock(mutex_);
  end_ = last && last->idle_limit() == 0 ? ConnectionEnd{last->signal(),
                                                         last->code(),
                                                         last->time_limit(),
                                                         last->broken_limit(),
                                                         {}}
                                         : explain(status);
  ended_ = true;
  changed_.notify_all();
}

/// Frames from the stream to the socket, until the device's last one, which is returned, or
/// something unusable; `more` becomes false at the stream's own end.
std::optional<rpc::WorkerEnd> RpcLine::pass_on(bool& more) {
  rpc::Frame frame;
  while ((more = stream_->Read(&frame))) {
    auto kind = FrameKind(frame.kind());
    if (!connected_) return std::nullopt;
    if (!is_intact(frame)) return changed_on_its_way_ = true, std::nullopt;
    if (frame.kind() == kWorkerEndKind) {
      rpc::WorkerEnd last;
      if (last.ParseFromString(frame.data())) return last;
      return std::nullopt;
    }
    if (kind != FrameKind::kMessage && kind != FrameKind::kCrash && kind != FrameKind::kPart)
      return std::nullopt;
    if (!send_frame(far_, kind, frame.data(), {})) return std::nullopt;
  }
  return std::nullopt;
}

bool RpcLine::write_pieces(Frame const& whole) {
  for (size_t at = 0; at == 0 || at < whole.bytes.size(); at += kPieceBytes) {
    rpc::Frame piece;
    piece.set_kind(uint32_t(whole.kind));
    piece.set_data(whole.bytes.substr(at, kPieceBytes));
    piece.set_more(at + kPieceBytes < whole.bytes.size());
    seal(piece);
    if (!stream_->Write(piece)) return false;
  }
  return true;
}

void RpcLine::transmit() {
  while (Result<Frame> taken = receive_frame(far_, {}))
    if (!write_pieces(*taken)) return;
  stream_->WritesDone();
}

ConnectionEnd RpcLine::wait_for_end() {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, seconds(2), [this] { return ended_; })) {
    context_.TryCancel();
    changed_.wait(lock, [this] { return ended_; });
  }
  return end_;
}

ConnectionEnd RpcLine::explain(grpc::Status const& status) const {
  ConnectionEnd end;
  end.error = error_of(status, address_, connected_, certificate_);
  if (changed_on_its_way_)
    end.error->message = fmt::format("an answer of the device at {} was changed on its way: {}",
                                     address_, kChangedHint);
  return end;
}

}  // namespace

Result<std::unique_ptr<Connection>> open_rpc_line(RemoteDeviceOptions const& options,
                                                  CallOptions const& call) {
  keep_grpc_silent();
  auto line = std::make_unique<RpcLine>(options);
  TRY(line->begin(std::min(options.connect_timeout, call.timeout), call.stop));
  return line;
}

}  // namespace tw
