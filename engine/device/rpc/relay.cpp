#include "engine/device/rpc/relay.h"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "engine/device/channel.h"
#include "engine/device/device_process.h"
#include "engine/device/rpc/rpc_line.h"
#include "engine/device/rpc/worker.h"

namespace tw {
namespace {

using namespace std::chrono;
using Moment = steady_clock::time_point;

class Relay {
public:
  Relay(grpc::ServerContext& context, ServerStream& stream, RpcServerOptions const& options,
        Worker& worker, Client const& client)
      : context_(context),
        stream_(stream),
        options_(options),
        client_(client),
        watched_(worker),
        worker_(worker.process()) {}
  ~Relay() { close(wake_); }

  /// What the client is told at the end; nothing when it went away.
  std::optional<rpc::WorkerEnd> run();

private:
  void from_client();
  void revoke();
  std::optional<rpc::WorkerEnd> from_worker();
  std::optional<rpc::WorkerEnd> over_limit();
  std::optional<rpc::WorkerEnd> worker_ended();
  Moment deadline() const;
  void finish(std::optional<rpc::WorkerEnd> const& end);

  grpc::ServerContext& context_;
  ServerStream& stream_;
  RpcServerOptions const& options_;
  Client const& client_;
  Worker& watched_;
  ChildProcess& worker_;
  int wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);  ///< readable: the state below changed
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool working_ = false;      ///< a request was passed on and not answered
  bool client_gone_ = false;  ///< nothing more comes from it
  bool revoked_ = false;      ///< its token was taken back
  Moment since_ = steady_clock::now();
};

/// When the worker or the client breaks its limit.
Moment Relay::deadline() const {
  std::lock_guard lock(mutex_);
  double seconds = working_ ? options_.call_seconds : options_.idle_seconds;
  return since_ + duration_cast<steady_clock::duration>(duration<double>(seconds));
}

/// Thread: what the client says. A second request before the first one's answer ends it, and so
/// does a frame that only a device sends.
void Relay::from_client() {
  rpc::Frame frame;
  while (stream_.Read(&frame)) {
    client_.message_came();
    if (options_.tokens && !options_.tokens->client_of(client_.token)) return revoke();
    auto kind = FrameKind(frame.kind());
    bool message = kind == FrameKind::kMessage;
    if (!message && kind != FrameKind::kStop) break;
    {
      std::lock_guard lock(mutex_);
      if (message && working_) break;
      if (message) since_ = steady_clock::now();
      working_ |= message;
    }
    if (message) eventfd_write(wake_, 1);
    // A worker that takes nothing in is ended by the other thread; then this fails.
    if (!send_frame(worker_.socket(), kind, frame.data(), {})) break;
  }
  std::lock_guard lock(mutex_);
  client_gone_ = true;
  eventfd_write(wake_, 1);
  changed_.notify_all();
}

/// The other thread tells the client why.
void Relay::revoke() {
  std::lock_guard lock(mutex_);
  revoked_ = true;
  eventfd_write(wake_, 1);
}

std::optional<rpc::WorkerEnd> Relay::over_limit() {
  std::lock_guard lock(mutex_);
  rpc::WorkerEnd end;
  working_ ? end.set_time_limit(options_.call_seconds) : end.set_idle_limit(options_.idle_seconds);
  return end;
}

std::optional<rpc::WorkerEnd> Relay::worker_ended() {
  LineEnd how = describe_end(worker_.wait_for_end());
  rpc::WorkerEnd end;
  end.set_signal(how.signal);
  end.set_code(how.code);
  end.set_broken_limit(watched_.broken_limit());
  return end;
}

std::optional<rpc::WorkerEnd> Relay::from_worker() {
  while (true) {
    Status ready = wait_readable(worker_.socket(), {deadline(), wake_});
    if (!ready && ready.error().code == "timed_out") return over_limit();
    if (!ready && ready.error().code == "cancelled") {
      eventfd_t count;
      eventfd_read(wake_, &count);
      std::lock_guard lock(mutex_);
      if (client_gone_) return std::nullopt;
      if (!revoked_) continue;
      rpc::WorkerEnd end;
      end.set_broken_limit("the client's token was revoked");
      return end;
    }
    Result<Frame> taken = ready ? receive_frame(worker_.socket(), {.deadline = deadline()})
                                : Result<Frame>(std::unexpected(ready.error()));
    if (!taken) return worker_ended();
    rpc::Frame frame;
    frame.set_kind(uint32_t(taken->kind));
    frame.set_data(std::move(taken->bytes));
    {
      // Before it is written: the client may ask again as soon as it has its answer.
      std::lock_guard lock(mutex_);
      working_ = false;
      since_ = steady_clock::now();
    }
    if (!stream_.Write(frame)) return std::nullopt;
  }
}

/// Tells the client how it ended, and waits a moment until it has understood.
void Relay::finish(std::optional<rpc::WorkerEnd> const& end) {
  if (end) {
    rpc::Frame frame;
    frame.set_kind(kWorkerEndKind);
    frame.set_data(end->SerializeAsString());
    stream_.Write(frame);
  }
  std::unique_lock lock(mutex_);
  auto moment = milliseconds(end ? 2000 : 0);
  if (!changed_.wait_for(lock, moment, [this] { return client_gone_; })) context_.TryCancel();
}

std::optional<rpc::WorkerEnd> Relay::run() {
  std::thread reader([this] { from_client(); });
  std::optional<rpc::WorkerEnd> end = from_worker();
  worker_.end();
  finish(end);
  shutdown(worker_.socket(), SHUT_RDWR);
  reader.join();
  return end;
}

}  // namespace

grpc::Status relay(grpc::ServerContext& context, ServerStream& stream,
                   RpcServerOptions const& options, WorkerWatch& watch, Client const& client) {
  Result<Worker> worker = Worker::start(options, watch);
  if (!worker) {
    if (options.log) options.log(worker.error().message);
    return {grpc::StatusCode::FAILED_PRECONDITION, "its worker process cannot be started"};
  }
  context.AddInitialMetadata(kProtocolKey, kProtocol);
  stream.SendInitialMetadata();
  auto end = Relay(context, stream, options, *worker, client).run();
  if (options.log && end && end->time_limit() > 0)
    options.log(client.name + ": a call took too long, its worker was ended");
  if (options.log && end && !end->broken_limit().empty())
    options.log(client.name + ": its worker was ended: " + end->broken_limit());
  else if (options.log && end && end->signal() > 0)
    options.log(client.name + ": its worker was ended by a " + signal_name(end->signal()));
  return grpc::Status::OK;
}

}  // namespace tw
