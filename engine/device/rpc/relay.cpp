#include "engine/device/rpc/relay.h"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "engine/device/channel.h"
#include "engine/device/device_process.h"
#include "engine/device/rpc/frame_checksum.h"
#include "engine/device/rpc/process_facts.h"
#include "engine/device/rpc/rpc_line.h"
#include "engine/device/rpc/worker.h"

namespace tw {
namespace {

using namespace std::chrono;
using Moment = steady_clock::time_point;

/// Between looks at a worker that nobody asked for anything, and the processor time that it may use
/// then: threads that wait for the next call look for it in a loop, a moment long.
constexpr seconds kBetweenLooks{1};
constexpr double kMostIdleSeconds = 1;

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
  bool read_whole(rpc::Frame& frame);
  void refuse(std::string why);
  std::optional<rpc::WorkerEnd> from_worker();
  std::optional<rpc::WorkerEnd> over_time();
  std::optional<rpc::WorkerEnd> told_to_look();
  bool is_alone() const;
  bool note_answer(FrameKind kind);
  std::optional<rpc::WorkerEnd> worker_ended();
  Moment deadline() const;
  Moment next_look() const;
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
  std::string refused_;       ///< why nothing of what it says is taken any more
  Moment since_ = steady_clock::now();
  std::optional<double> idle_from_;  ///< what the worker had used when it was at rest
};

rpc::WorkerEnd broken(std::string const& limit) {
  rpc::WorkerEnd end;
  end.set_broken_limit(limit);
  return end;
}

/// When the worker or the client breaks its limit.
Moment Relay::deadline() const {
  std::lock_guard lock(mutex_);
  double seconds = working_ ? options_.call_seconds : options_.idle_seconds;
  return since_ + duration_cast<steady_clock::duration>(duration<double>(seconds));
}

Moment Relay::next_look() const {
  Moment end = deadline();
  std::lock_guard lock(mutex_);
  return working_ ? end : std::min(end, steady_clock::now() + kBetweenLooks);
}

/// Puts the pieces of a frame together. False: nothing more comes, it is larger than any may be, or
/// it is not what was sent.
bool Relay::read_whole(rpc::Frame& frame) {
  std::string whole;
  while (stream_.Read(&frame)) {
    client_.message_came();
    if (!is_intact(frame)) {
      refuse(std::string("what it was sent was changed on its way: ") + kChangedHint);
      return false;
    }
    if (whole.size() + frame.data().size() > kMostFrameBytes) return false;
    whole += frame.data();
    if (frame.more()) continue;
    frame.set_data(std::move(whole));
    return true;
  }
  return false;
}

/// Thread: what the client says. A second request before the first one's answer ends it, and so
/// does a frame that only a device sends.
void Relay::from_client() {
  rpc::Frame frame;
  while (read_whole(frame)) {
    if (options_.tokens && !options_.tokens->client_of(client_.token))
      return refuse("the client's token was revoked");
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
  client_gone_ = refused_.empty();
  eventfd_write(wake_, 1);
  changed_.notify_all();
}

/// The other thread tells the client why.
void Relay::refuse(std::string why) {
  std::lock_guard lock(mutex_);
  refused_ = std::move(why);
  eventfd_write(wake_, 1);
}

/// Nothing where it was no more than the time for a look.
std::optional<rpc::WorkerEnd> Relay::over_time() {
  Moment end_of_patience = deadline();
  bool drivers = options_.workers_have_drivers;
  double used = drivers ? family_seconds(worker_.pid()) : processor_seconds(worker_.pid());
  std::lock_guard lock(mutex_);
  // To ask for a whole family takes longer than small calls: not at each answer.
  if (!working_ && drivers && !idle_from_) idle_from_ = used;
  if (!working_ && idle_from_ && used - *idle_from_ > kMostIdleSeconds)
    return broken("it kept running after its reply");
  if (steady_clock::now() < end_of_patience) return std::nullopt;
  rpc::WorkerEnd end;
  working_ ? end.set_time_limit(options_.call_seconds) : end.set_idle_limit(options_.idle_seconds);
  return end;
}

std::optional<rpc::WorkerEnd> Relay::worker_ended() {
  ConnectionEnd how = describe_end(worker_.wait_for_end());
  rpc::WorkerEnd end;
  end.set_signal(how.signal);
  end.set_code(how.code);
  end.set_broken_limit(watched_.broken_limit());
  return end;
}

/// The other thread changed something; nothing where that is no end.
std::optional<rpc::WorkerEnd> Relay::told_to_look() {
  eventfd_t count;
  eventfd_read(wake_, &count);
  std::lock_guard lock(mutex_);
  if (refused_.empty() || client_gone_) return std::nullopt;
  return broken(refused_);
}

bool Relay::is_alone() const {
  std::lock_guard lock(mutex_);
  return client_gone_;
}

/// Before an answer is written, because the client may ask again as soon as it has it. False: it
/// answers what nobody asked.
bool Relay::note_answer(FrameKind kind) {
  double used = processor_seconds(worker_.pid());
  std::lock_guard lock(mutex_);
  bool answers = kind == FrameKind::kMessage || kind == FrameKind::kPart;
  if (!working_ && answers) return false;
  // The time of a call is that of all its answers.
  if (kind == FrameKind::kPart) return true;
  working_ = false;
  since_ = steady_clock::now();
  idle_from_ = used;
  if (options_.workers_have_drivers) idle_from_.reset();
  return true;
}

std::optional<rpc::WorkerEnd> Relay::from_worker() {
  while (true) {
    Status ready = wait_readable(worker_.socket(), {next_look(), wake_});
    if (!ready && ready.error().code == "timed_out") {
      if (auto end = over_time()) return end;
      continue;
    }
    if (!ready && ready.error().code == "cancelled") {
      if (auto end = told_to_look()) return end;
      if (is_alone()) return std::nullopt;
      continue;
    }
    Result<Frame> taken = ready ? receive_frame(worker_.socket(), {.deadline = deadline()})
                                : Result<Frame>(std::unexpected(ready.error()));
    if (!taken) return worker_ended();
    rpc::Frame frame;
    frame.set_kind(uint32_t(taken->kind));
    frame.set_data(std::move(taken->bytes));
    seal(frame);
    if (!note_answer(taken->kind)) return broken("it sent an answer without a request");
    if (!stream_.Write(frame)) return std::nullopt;
  }
}

/// Tells the client how it ended, and waits a moment until it has understood.
void Relay::finish(std::optional<rpc::WorkerEnd> const& end) {
  if (end) {
    rpc::Frame frame;
    frame.set_kind(kWorkerEndKind);
    frame.set_data(end->SerializeAsString());
    seal(frame);
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
    if (options.log) options.log(LogTopic::kServer, worker.error().message);
    return {grpc::StatusCode::FAILED_PRECONDITION, "its worker process cannot be started"};
  }
  context.AddInitialMetadata(kProtocolKey, kProtocol);
  stream.SendInitialMetadata();
  auto end = Relay(context, stream, options, *worker, client).run();
  if (options.log && end && end->time_limit() > 0)
    options.log(LogTopic::kWorkers, client.name + ": a call took too long, its worker was ended");
  if (options.log && end && !end->broken_limit().empty())
    options.log(LogTopic::kWorkers, client.name + ": its worker was ended: " + end->broken_limit());
  else if (options.log && end && end->signal() > 0)
    options.log(LogTopic::kWorkers,
                client.name + ": its worker was ended by a " + signal_name(end->signal()));
  return grpc::Status::OK;
}

}  // namespace tw
