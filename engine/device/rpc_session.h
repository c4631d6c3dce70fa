/// Questions and answers over a line, which is opened again when it was lost.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "engine/device/channel.h"
#include "engine/device/connection.h"
#include "engine/device/messages.pb.h"

namespace tw {

/// What came back, and from which life of the device.
struct Answer {
  wire::Response message;
  uint64_t generation = 0;
};

/// The line of the moment and the turn to speak over it; callable from any thread.
class RpcSession {
public:
  /// `patience`: how long a cancelled request may take to come to an end by itself.
  /// `hint`: how longer calls are allowed, the end of a sentence; may be empty.
  RpcSession(OpenConnection open_line, std::chrono::milliseconds patience, std::string hint)
      : open_line_(std::move(open_line)), patience_(patience), hint_(std::move(hint)) {}

  /// Asks and waits for the answer. `generation`: of the handles in the request, 0 without any.
  /// `steps`: what the request runs, for the words of a failure. Errors: those of Device.
  /// `on_part`: gets each answer of a request that has several, but the last; false: it is none,
  /// and the line is cut.
  using OnPart = std::function<bool(wire::Response const&)>;
  Result<Answer> ask(wire::Request const& request, uint64_t generation, CallOptions const& options,
                     std::span<DeviceStep const> steps = {}, OnPart const& on_part = {});

  /// Counts the lines that were opened: handles of a lower generation are gone.
  uint64_t generation() const { return generation_; }

private:
  Result<Answer> ask_in_turn(wire::Request const& request, uint64_t generation,
                             CallOptions const& options, std::span<DeviceStep const> steps,
                             OnPart const& on_part);
  Status ensure_open(CallOptions const& options);
  Result<Frame> exchange(wire::Request const& request, WaitLimit const& limit,
                         OnPart const& on_part);
  Result<Frame> stop_gently(wire::Request const& request, Error const& cancelled);
  bool give_back(wire::Request const& request, std::string const& answered, WaitLimit const& limit);
  std::unexpected<Error> explain_loss(Error const& error, CallOptions const& options,
                                      std::span<DeviceStep const> steps);
  std::unexpected<Error> explain_end(ConnectionEnd const& end, std::span<DeviceStep const> steps);
  std::unexpected<Error> explain_crash(std::string const& bytes, std::span<DeviceStep const> steps);

  OpenConnection open_line_;
  std::chrono::milliseconds patience_;
  std::string hint_;
  std::mutex mutex_;
  std::condition_variable_any turn_over_;
  bool busy_ = false;
  bool answered_after_stop_ = false;
  std::unique_ptr<Connection> line_;  ///< of whoever has the turn
  std::atomic<uint64_t> generation_{0};
};

std::unexpected<Error> unexpected_answer();
/// Of a response that is a failure.
std::unexpected<Error> failure_of(wire::Response const& response);

}  // namespace tw
