/// Frames over a socket: a header with a kind and a length, then that many bytes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/support/base/error.h"

namespace tw {

enum class FrameKind : uint32_t {
  kMessage = 1,  ///< a request or a response
  kCrash = 2,    ///< a CrashReport, written by a signal handler
  kStop = 3,     ///< to the device: answer the running request early; ignored when none runs
  kPart = 4,     ///< a response, and more of the same request come
};

struct FrameHeader {
  uint32_t magic = kMagic;
  FrameKind kind = FrameKind::kMessage;
  uint32_t length = 0;
  static constexpr uint32_t kMagic = 0x314D5754;  ///< "TWM1"
};

constexpr uint32_t kMostFrameBytes = 32 << 20;

/// Behind it, to the frame's end: the kernel's name.
struct CrashReport {
  int32_t signal = 0;
  int32_t step = -1;     ///< index in the request's list of steps
  uint64_t address = 0;  ///< that the failing instruction touched, or its own
};

struct Frame {
  FrameKind kind = FrameKind::kMessage;
  std::string bytes;
};

/// What may end a wait, besides the peer.
struct WaitLimit {
  std::optional<std::chrono::steady_clock::time_point> deadline;
  int stop_descriptor = -1;  ///< readable: stop waiting
};

/// Errors: timed_out, cancelled, connection_closed, malformed_frame, frame_too_large; receive_frame
/// also out_of_memory: that frame is lost, the next one can be received.
Status send_frame(int socket, FrameKind kind, std::string_view bytes, WaitLimit const& limit);
Result<Frame> receive_frame(int socket, WaitLimit const& limit);

/// Waits until something can be received (or the peer closed). Errors: timed_out, cancelled.
Status wait_readable(int socket, WaitLimit const& limit);

}  // namespace tw
