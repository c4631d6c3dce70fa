#include "engine/device/server.h"

#include <poll.h>
#include <unistd.h>

#include <new>
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

/// The answer's bytes; a process that may take no more memory says so and lives on.
std::string answer_within_memory(RequestHandler& handler, wire::Request const& request) {
  try {
    return handler.answer(request).SerializeAsString();
  } catch (std::bad_alloc const&) {
    wire::Response failed;
    failed.mutable_failure()->set_code("out_of_memory");
    failed.mutable_failure()->set_message("the device has no memory left for this call");
    failed.mutable_failure()->set_fault(int32_t(Fault::kEnvironment));
    return failed.SerializeAsString();
  }
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
    TRY(send_frame(socket, FrameKind::kMessage, answer_within_memory(handler, request), {}));
  }
}

}  // namespace tw
