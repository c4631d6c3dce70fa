#include "engine/device/rpc_session.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/device/stop_descriptor.h"
#include "engine/device/words.h"
#include "engine/support/child_process.h"

namespace tw {
namespace {

using namespace std::chrono;

/// "the kernel 'conv1'", or "one of 12 kernels" when it is not known which.
std::string name_of(std::span<DeviceStep const> steps, int32_t index) {
  if (index < 0 && steps.size() == 1) index = 0;
  if (index >= 0 && size_t(index) < steps.size()) {
    return fmt::format("the kernel '{}'", steps[size_t(index)].symbol);
  }
  return fmt::format("one of {} kernels", steps.size());
}

/// What a fatal signal in a kernel means. Floats trap nowhere: an arithmetic exception is an
/// integer divided by zero.
std::unexpected<Error> died(std::string const& kernel, int signal, std::string const& where = "") {
  if (signal == SIGFPE) return refused("division_by_zero", kernel + " divided an integer by zero");
  return refused("kernel_crashed",
                 fmt::format("{} crashed ({}{})", kernel, signal_name(signal), where));
}

Status take_part(Frame const& frame, RpcSession::OnPart const& on_part) {
  wire::Response part;
  if (on_part && part.ParseFromString(frame.bytes) && on_part(part)) return {};
  return environment_failed("malformed_frame", "the device gave an unexpected reply");
}

}  // namespace

std::unexpected<Error> unexpected_answer() {
  return environment_failed("device_lost", "the device answered a different request");
}

/// The device's own words: one line, not long, never none.
std::unexpected<Error> failure_of(wire::Response const& response) {
  wire::Failure const& failure = response.failure();
  auto fault = Fault(std::clamp(failure.fault(), 0, int32_t(Fault::kEnvironment)));
  std::string code = failure.code().empty() ? "device_failed" : one_line(failure.code(), 80);
  std::string words = one_line(failure.message());
  if (words.empty()) words = "the device reported a failure without a reason";
  return fail(fault, code, words);
}

Result<Answer> RpcSession::ask(wire::Request const& request, uint64_t generation,
                               CallOptions const& options, std::span<DeviceStep const> steps,
                               OnPart const& on_part) {
  std::unique_lock lock(mutex_);
  if (!turn_over_.wait(lock, options.stop, [&] { return !busy_; }) ||
      options.stop.stop_requested()) {
    return refused("cancelled", "the work on the device was cancelled");
  }
  busy_ = true;
  lock.unlock();
  Result<Answer> answer = ask_in_turn(request, generation, options, steps, on_part);
  lock.lock();
  busy_ = false;
  lock.unlock();
  turn_over_.notify_one();
  return answer;
}

Result<Answer> RpcSession::ask_in_turn(wire::Request const& request, uint64_t generation,
                                       CallOptions const& options,
                                       std::span<DeviceStep const> steps, OnPart const& on_part) {
  // With handles of a life that is over nothing new is started: to free them is done.
  bool alive = line_ && line_->open();
  if (generation != 0 && (!alive || generation != generation_)) {
    return environment_failed("device_restarted",
                              fmt::format("the device {}: its tensors and kernels are lost and "
                                          "must be sent again",
                                          alive ? "was restarted" : "is gone"));
  }
  TRY(ensure_open(options));
  StopDescriptor stop(options.stop);
  WaitLimit limit{steady_clock::now() + options.timeout, stop.get()};
  Result<Frame> frame = exchange(request, limit, on_part);
  bool whole = !frame && (frame.error().code == "frame_too_large" ||
                          frame.error().code == "out_of_memory");  // nothing of it is under way
  if (whole && line_->open()) return std::unexpected(frame.error());
  if (!frame) return explain_loss(frame.error(), options, steps);
  if (frame->kind == FrameKind::kCrash) return explain_crash(frame->bytes, steps);
  Answer answer{.message = {}, .generation = generation_};
  if (!answer.message.ParseFromString(frame->bytes)) {
    line_.reset();
    return environment_failed("device_lost", "the device gave an answer that cannot be read");
  }
  if (answer.message.has_failure()) return failure_of(answer.message);
  return answer;
}

Status RpcSession::ensure_open(CallOptions const& options) {
  if (line_ && line_->open()) return {};
  line_.reset();
  TRY_ASSIGN(line_, open_line_(options));
  ++generation_;
  return {};
}

Result<Frame> RpcSession::exchange(wire::Request const& request, WaitLimit const& limit,
                                   OnPart const& on_part) {
  // Only the wait can be stopped: half a message would leave the connection unusable.
  WaitLimit deadline{.deadline = limit.deadline};
  int socket = line_->socket();
  TRY(send_frame(socket, FrameKind::kMessage, request.SerializeAsString(), deadline));
  // A stop counts between parts, too.
  Status waited = wait_readable(socket, limit);
  while (waited) {
    TRY_ASSIGN(Frame frame, receive_frame(socket, deadline));
    if (frame.kind != FrameKind::kPart) return frame;
    TRY(take_part(frame, on_part));
    waited = wait_readable(socket, limit);
  }
  if (waited.error().code == "cancelled") return stop_gently(request, waited.error());
  return std::unexpected(waited.error());
}

/// Asks for an early answer and throws it away: then the device keeps its tensors, but not what
/// this request has made, which nobody would free.
Result<Frame> RpcSession::stop_gently(wire::Request const& request, Error const& cancelled) {
  WaitLimit soon{.deadline = steady_clock::now() + patience_};
  TRY(send_frame(line_->socket(), FrameKind::kStop, "", soon));
  Result<Frame> frame = receive_frame(line_->socket(), soon);
  while (frame && frame->kind == FrameKind::kPart) frame = receive_frame(line_->socket(), soon);
  if (frame && frame->kind == FrameKind::kCrash) return frame;
  if (!frame && frame.error().code != "timed_out") return frame;
  answered_after_stop_ = frame.has_value() && give_back(request, frame->bytes, soon);
  return std::unexpected(cancelled);
}

/// Frees what the answer to a cancelled request names. False: the line is of no more use.
bool RpcSession::give_back(wire::Request const& request, std::string const& answered,
                           WaitLimit const& limit) {
  wire::Response answer;
  if (!answer.ParseFromString(answered)) return false;
  if (!answer.has_handle()) return true;
  wire::Request back;
  if (request.has_allocate())
    back.set_free_tensor(answer.handle());
  else
    back.set_free_library(answer.handle());
  return send_frame(line_->socket(), FrameKind::kMessage, back.SerializeAsString(), limit) &&
         receive_frame(line_->socket(), limit);
}

/// Words for a missing answer. The line is gone after this, unless a stop was answered.
std::unexpected<Error> RpcSession::explain_loss(Error const& error, CallOptions const& options,
                                                std::span<DeviceStep const> steps) {
  if (std::exchange(answered_after_stop_, false)) return std::unexpected(error);
  if (error.code == "connection_closed") {
    ConnectionEnd end = line_->wait_for_end();
    line_.reset();
    return explain_end(end, steps);
  }
  line_->cut();
  line_.reset();
  double seconds = duration<double>(options.timeout).count();
  if (error.code == "timed_out" && !steps.empty()) {
    return environment_failed("kernel_timed_out",
                              fmt::format("{} did not finish within {:g} s and was stopped{}",
                                          name_of(steps, -1), seconds, hint_));
  }
  if (error.code == "timed_out") {
    return environment_failed("device_timed_out",
                              fmt::format("the device did not answer within {:g} s", seconds));
  }
  if (error.code == "cancelled") return std::unexpected(error);
  return environment_failed("device_lost", error.message);
}

std::unexpected<Error> RpcSession::explain_end(ConnectionEnd const& end,
                                               std::span<DeviceStep const> steps) {
  if (end.time_limit > 0) {
    std::string what = steps.empty() ? "the call" : name_of(steps, -1);
    return environment_failed(
        "kernel_timed_out",
        fmt::format("{} took longer than the {:g} s that the device allows and was stopped; `tw "
                    "device serve --call-seconds N` on the device raises this limit",
                    what, end.time_limit));
  }
  if (!end.broken_limit.empty())
    return environment_failed("device_lost",
                              fmt::format("the device ended the process of {}: {}",
                                          steps.empty() ? "this client" : name_of(steps, -1),
                                          one_line(end.broken_limit, 300)));
  if (end.error) return std::unexpected(*end.error);
  if (end.signal == 0) {
    return environment_failed("device_lost",
                              fmt::format("the device process ended with code {}", end.code));
  }
  if (!steps.empty() && end.signal != SIGKILL) return died(name_of(steps, -1), end.signal);
  return environment_failed(
      "device_lost", fmt::format("the device process was ended by a {}", signal_name(end.signal)));
}

std::unexpected<Error> RpcSession::explain_crash(std::string const& bytes,
                                                 std::span<DeviceStep const> steps) {
  line_->wait_for_end();
  line_.reset();
  CrashReport report;
  if (bytes.size() < sizeof report) return unexpected_answer();
  std::memcpy(&report, bytes.data(), sizeof report);
  std::string kernel = one_line(std::string_view(bytes).substr(sizeof report), 256);
  return died(kernel.empty() ? name_of(steps, report.step) : fmt::format("the kernel '{}'", kernel),
              report.signal, fmt::format(" at address {:#x}", report.address));
}

}  // namespace tw
