#include "engine/device/local_device.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include "engine/device/channel.h"
#include "engine/device/child_process.h"
#include "engine/device/hardware_text.h"
#include "engine/device/messages.pb.h"
#include "engine/device/stop_descriptor.h"

namespace tw {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono;

/// Tensors travel in pieces, so that no message is large whatever a tensor's size.
constexpr int64_t kPieceBytes = 8 << 20;
/// How long a cancelled request may take to come to an end by itself.
constexpr auto kPatience = milliseconds(200);

fs::path program_beside_ours() {
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  return self.parent_path() / "tw-device";
}

/// "the kernel 'conv1'", or "one of 12 kernels" when it is not known which.
std::string name_of(std::span<DeviceStep const> steps, int32_t index) {
  if (index < 0 && steps.size() == 1) index = 0;
  if (index >= 0 && size_t(index) < steps.size()) {
    return fmt::format("the kernel '{}'", steps[size_t(index)].symbol);
  }
  return fmt::format("one of {} kernels", steps.size());
}

/// The oldest life of the device that a step's handle comes from.
uint64_t oldest_generation(std::span<DeviceStep const> steps) {
  uint64_t oldest = UINT64_MAX;
  auto look = [&](BufferView const& view) {
    if (view.tensor.id != 0) oldest = std::min(oldest, view.tensor.generation);
  };
  for (DeviceStep const& step : steps) {
    oldest = std::min(oldest, step.library.generation);
    std::ranges::for_each(step.buffers, look);
    look(step.workspace);
  }
  return oldest;
}

void fill_view(BufferView const& view, wire::View& out) {
  out.set_tensor(view.tensor.id);
  out.set_offset(view.offset);
}

void fill_run(std::span<DeviceStep const> steps, int threads, wire::Run& out) {
  out.set_threads(threads);
  for (DeviceStep const& step : steps) {
    wire::Step& message = *out.add_steps();
    message.set_library(step.library.id);
    message.set_symbol(step.symbol);
    for (BufferView const& view : step.buffers) fill_view(view, *message.add_buffers());
    fill_view(step.workspace, *message.mutable_workspace());
  }
}

Samples to_samples(wire::SampleList const& list) {
  return {std::vector<double>(list.seconds().begin(), list.seconds().end())};
}

std::unexpected<Error> unexpected_answer() {
  return environment_failed("device_lost", "the device gave an answer to another question");
}

/// What came back, and from which life of the device.
struct Answer {
  wire::Response message;
  uint64_t generation = 0;
};

}  // namespace

/// The child of the moment and the turn to speak to it.
class LocalDevice::Connection {
public:
  explicit Connection(fs::path program) : program_(std::move(program)) {}

  /// Asks and waits for the answer. `generation`: of the handles in the request, 0 without any.
  /// `steps`: what the request runs, for the words of a failure.
  Result<Answer> ask(wire::Request const& request, uint64_t generation, CallOptions const& options,
                     std::span<DeviceStep const> steps = {}) {
    std::unique_lock lock(mutex_);
    if (!turn_over_.wait(lock, options.stop, [&] { return !busy_; }) ||
        options.stop.stop_requested()) {
      return refused("cancelled", "the work on the device was cancelled");
    }
    busy_ = true;
    lock.unlock();
    Result<Answer> answer = ask_in_turn(request, generation, options, steps);
    lock.lock();
    busy_ = false;
    lock.unlock();
    turn_over_.notify_one();
    return answer;
  }

  uint64_t generation() const { return generation_; }
  pid_t pid() const { return pid_; }

private:
  Result<Answer> ask_in_turn(wire::Request const& request, uint64_t generation,
                             CallOptions const& options, std::span<DeviceStep const> steps) {
    TRY(ensure_running());
    if (generation != 0 && generation != generation_) {
      return environment_failed("device_restarted",
                                "the device was restarted: its tensors and kernels are gone and "
                                "must be sent again");
    }
    StopDescriptor stop(options.stop);
    WaitLimit limit{steady_clock::now() + options.timeout, stop.get()};
    Result<Frame> frame = exchange(request, limit);
    if (!frame && frame.error().code == "frame_too_large" && child_->running()) {
      return std::unexpected(frame.error());
    }
    if (!frame) return explain_loss(frame.error(), options, steps);
    if (frame->kind == FrameKind::kCrash) return explain_crash(frame->bytes, steps);
    Answer answer{.message = {}, .generation = generation_};
    if (!answer.message.ParseFromString(frame->bytes)) {
      child_.reset();
      return environment_failed("device_lost", "the device gave an answer that cannot be read");
    }
    if (answer.message.has_failure()) return to_error(answer.message.failure());
    return answer;
  }

  Status ensure_running() {
    if (child_ && child_->running()) return {};
    child_.reset();
    TRY_ASSIGN(child_, ChildProcess::start(program_));
    pid_ = child_->pid();
    ++generation_;
    return {};
  }

  Result<Frame> exchange(wire::Request const& request, WaitLimit const& limit) {
    // Only the wait can be stopped: half a message would leave the connection unusable.
    WaitLimit deadline{.deadline = limit.deadline};
    int socket = child_->socket();
    TRY(send_frame(socket, FrameKind::kMessage, request.SerializeAsString(), deadline));
    Status waited = wait_readable(socket, limit);
    if (waited) return receive_frame(socket, deadline);
    if (waited.error().code == "cancelled") return stop_gently(waited.error());
    return std::unexpected(waited.error());
  }

  /// Asks for an early answer and throws it away: then the device keeps its tensors.
  Result<Frame> stop_gently(Error const& cancelled) {
    WaitLimit soon{.deadline = steady_clock::now() + kPatience};
    TRY(send_frame(child_->socket(), FrameKind::kStop, "", soon));
    Result<Frame> frame = receive_frame(child_->socket(), soon);
    if (frame && frame->kind == FrameKind::kCrash) return frame;
    if (!frame && frame.error().code != "timed_out") return frame;
    answered_after_stop_ = frame.has_value();
    return std::unexpected(cancelled);
  }

  static std::unexpected<Error> to_error(wire::Failure const& failure) {
    auto fault = Fault(std::clamp(failure.fault(), 0, int32_t(Fault::kEnvironment)));
    return fail(fault, failure.code(), failure.message());
  }

  /// Words for a missing answer. The child is gone after this, unless it answered a stop.
  std::unexpected<Error> explain_loss(Error const& error, CallOptions const& options,
                                      std::span<DeviceStep const> steps) {
    if (std::exchange(answered_after_stop_, false)) return std::unexpected(error);
    if (error.code == "connection_closed") return explain_end(child_->wait_for_end(), steps);
    child_->end();
    child_.reset();
    double seconds = duration<double>(options.timeout).count();
    if (error.code == "timed_out" && !steps.empty()) {
      return environment_failed("kernel_timed_out",
                                fmt::format("{} did not finish within {:g} s and was stopped",
                                            name_of(steps, -1), seconds));
    }
    if (error.code == "timed_out") {
      return environment_failed("device_timed_out",
                                fmt::format("the device did not answer within {:g} s", seconds));
    }
    if (error.code == "cancelled") return std::unexpected(error);
    return environment_failed("device_lost", error.message);
  }

  std::unexpected<Error> explain_end(int status, std::span<DeviceStep const> steps) {
    child_.reset();
    if (!WIFSIGNALED(status)) {
      return environment_failed(
          "device_lost", fmt::format("the device process ended with code {}", WEXITSTATUS(status)));
    }
    std::string how = signal_name(WTERMSIG(status));
    if (!steps.empty() && WTERMSIG(status) != SIGKILL) {
      return refused("kernel_crashed", fmt::format("{} crashed ({})", name_of(steps, -1), how));
    }
    return environment_failed("device_lost",
                              fmt::format("the device process was ended by a {}", how));
  }

  std::unexpected<Error> explain_crash(std::string const& bytes,
                                       std::span<DeviceStep const> steps) {
    child_->wait_for_end();
    child_.reset();
    CrashReport report;
    if (bytes.size() != sizeof report) return unexpected_answer();
    std::memcpy(&report, bytes.data(), sizeof report);
    return refused("kernel_crashed",
                   fmt::format("{} crashed ({} at address {:#x})", name_of(steps, report.step),
                               signal_name(report.signal), report.address));
  }

  fs::path program_;
  std::mutex mutex_;
  std::condition_variable_any turn_over_;
  bool busy_ = false;
  bool answered_after_stop_ = false;
  std::optional<ChildProcess> child_;  ///< of whoever has the turn
  std::atomic<uint64_t> generation_{0};
  std::atomic<pid_t> pid_{-1};
};

LocalDevice::LocalDevice(LocalDeviceOptions options)
    : connection_(std::make_unique<Connection>(
          options.program.empty() ? program_beside_ours() : std::move(options.program))) {}

LocalDevice::~LocalDevice() = default;

pid_t LocalDevice::child() const { return connection_->pid(); }
uint64_t LocalDevice::generation() const { return connection_->generation(); }

Result<Hardware> LocalDevice::describe(CallOptions const& options) {
  wire::Request request;
  request.mutable_describe();
  TRY_ASSIGN(Answer answer, connection_->ask(request, 0, options));
  return parse_hardware(answer.message.hardware());
}

Result<TensorHandle> LocalDevice::allocate(int64_t bytes, CallOptions const& options) {
  wire::Request request;
  request.mutable_allocate()->set_bytes(bytes);
  TRY_ASSIGN(Answer answer, connection_->ask(request, 0, options));
  if (!answer.message.has_handle()) return unexpected_answer();
  return TensorHandle{answer.message.handle(), answer.generation, bytes};
}

Status LocalDevice::write(TensorHandle const& tensor, int64_t offset,
                          std::span<std::byte const> from, CallOptions const& options) {
  while (!from.empty()) {
    auto piece = from.first(std::min(from.size(), size_t(kPieceBytes)));
    wire::Request request;
    request.mutable_write()->set_tensor(tensor.id);
    request.mutable_write()->set_offset(offset);
    request.mutable_write()->set_data(piece.data(), piece.size());
    TRY(connection_->ask(request, tensor.generation, options));
    from = from.subspan(piece.size());
    offset += int64_t(piece.size());
  }
  return {};
}

Status LocalDevice::read(TensorHandle const& tensor, int64_t offset, std::span<std::byte> to,
                         CallOptions const& options) {
  while (!to.empty()) {
    auto piece = to.first(std::min(to.size(), size_t(kPieceBytes)));
    wire::Request request;
    request.mutable_read()->set_tensor(tensor.id);
    request.mutable_read()->set_offset(offset);
    request.mutable_read()->set_bytes(int64_t(piece.size()));
    TRY_ASSIGN(Answer answer, connection_->ask(request, tensor.generation, options));
    std::string const& data = answer.message.data();
    if (data.size() != piece.size()) return unexpected_answer();
    std::memcpy(piece.data(), data.data(), piece.size());
    to = to.subspan(piece.size());
    offset += int64_t(piece.size());
  }
  return {};
}

Status LocalDevice::free(TensorHandle const& tensor) {
  if (tensor.id == 0 || tensor.generation != generation()) return {};
  wire::Request request;
  request.set_free_tensor(tensor.id);
  Result<Answer> answer = connection_->ask(request, tensor.generation, {});
  if (answer || answer.error().code == "device_restarted") return {};
  return std::unexpected(answer.error());
}

Result<LibraryHandle> LocalDevice::load(std::span<std::byte const> library,
                                        CallOptions const& options) {
  if (library.size() > kMostFrameBytes / 2) {
    return bad_input("library_too_large",
                     fmt::format("a kernel library of {} bytes is too large", library.size()));
  }
  wire::Request request;
  request.set_load_library(library.data(), library.size());
  TRY_ASSIGN(Answer answer, connection_->ask(request, 0, options));
  if (!answer.message.has_handle()) return unexpected_answer();
  return LibraryHandle{answer.message.handle(), answer.generation};
}

Status LocalDevice::free(LibraryHandle const& library) {
  if (library.id == 0 || library.generation != generation()) return {};
  wire::Request request;
  request.set_free_library(library.id);
  Result<Answer> answer = connection_->ask(request, library.generation, {});
  if (answer || answer.error().code == "device_restarted") return {};
  return std::unexpected(answer.error());
}

Status LocalDevice::run(std::span<DeviceStep const> steps, int threads,
                        CallOptions const& options) {
  if (steps.empty()) return {};
  wire::Request request;
  fill_run(steps, threads, *request.mutable_run());
  TRY(connection_->ask(request, oldest_generation(steps), options, steps));
  return {};
}

Result<Timing> LocalDevice::time(std::span<DeviceStep const> steps, int threads,
                                 TimingPlan const& plan, CallOptions const& options) {
  if (steps.empty()) return bad_input("nothing_to_time", "there is no step to time");
  wire::Request request;
  wire::Time& message = *request.mutable_time();
  fill_run(steps, threads, *message.mutable_run());
  message.set_warm_up(plan.warm_up);
  message.set_repeats(plan.repeats);
  message.set_min_sample_seconds(plan.min_sample_seconds);
  message.set_most_seconds(plan.most_seconds);
  TRY_ASSIGN(Answer answer, connection_->ask(request, oldest_generation(steps), options, steps));
  wire::TimingReport const& report = answer.message.timing();
  if (size_t(report.steps_size()) != steps.size()) return unexpected_answer();
  Timing timing;
  timing.total = to_samples(report.total());
  for (wire::SampleList const& list : report.steps()) timing.steps.push_back(to_samples(list));
  timing.speed.assign(report.speed().begin(), report.speed().end());
  timing.runs_per_sample = report.runs_per_sample();
  return timing;
}

}  // namespace tw
