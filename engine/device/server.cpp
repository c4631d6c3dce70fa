#include "engine/device/server.h"

#include <poll.h>
#include <unistd.h>

#include <thread>

#include "engine/device/channel.h"
#include "engine/device/crash.h"
#include "engine/device/request_handler.h"

namespace tw {
namespace {

/// Ends the process when the client goes away: a kernel that never returns must not outlive it.
void end_with_client(int socket) {
  std::thread([socket] {
    pollfd polled{socket, POLLRDHUP, 0};
    while (poll(&polled, 1, -1) < 0) {
    }
    _exit(0);
  }).detach();
}

}  // namespace

Status serve_device(int socket, Processor& processor, Hardware const& hardware) {
  // Nothing else is sent while a request runs: whatever can be read then asks for an early answer.
  RequestHandler handler(processor, hardware, [socket] {
    pollfd polled{socket, POLLIN, 0};
    return poll(&polled, 1, 0) > 0;
  });
  report_crashes_to(socket);
  end_with_client(socket);
  while (true) {
    Result<Frame> frame = receive_frame(socket, {});
    if (!frame && frame.error().code == "connection_closed") return {};
    if (!frame) return std::unexpected(frame.error());
    if (frame->kind == FrameKind::kStop) continue;  // it came too late to matter
    wire::Request request;
    if (frame->kind != FrameKind::kMessage || !request.ParseFromString(frame->bytes)) {
      return environment_failed("malformed_frame", "what came over the connection is no request");
    }
    TRY(send_frame(socket, FrameKind::kMessage, handler.answer(request).SerializeAsString(), {}));
  }
}

}  // namespace tw
