#include "engine/device/server.h"

#include <poll.h>
#include <unistd.h>

#include <new>
#include <thread>

#include "engine/device/channel.h"
#include "engine/device/crash.h"
#include "engine/device/failure.h"
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

std::string no_memory() { return failure(no_memory_left()).SerializeAsString(); }

/// The answer's bytes; a process that may take no more memory says so and lives on. Errors:
/// malformed_frame.
Result<std::string> answer_within_memory(RequestHandler& handler, Result<Frame> frame) {
  if (!frame) return no_memory();
  try {
    wire::Request request;
    if (frame->kind != FrameKind::kMessage || !request.ParseFromString(frame->bytes))
      return environment_failed("malformed_frame",
                                "what came over the connection is not a request");
    std::string().swap(frame->bytes);  // the request has it all
    return handler.answer(request).SerializeAsString();
  } catch (std::bad_alloc const&) {
    return no_memory();
  }
}

}  // namespace

Status serve_device(int socket, DeviceRuntime& processor, Hardware const& hardware,
                    std::vector<std::string> const& open_ways) {
  // Nothing else is sent while a request runs: whatever can be read then asks for an early answer.
  RequestHandler handler(processor, hardware, open_ways, [socket] {
    pollfd polled{socket, POLLIN, 0};
    return poll(&polled, 1, 0) > 0;
  });
  handler.send_parts([socket](wire::Response const& part) {
    return send_frame(socket, FrameKind::kPart, part.SerializeAsString(), {});
  });
  report_crashes_to(socket);
  end_with_client(socket);
  while (true) {
    Result<Frame> frame = receive_frame(socket, {});
    if (!frame && frame.error().code == "connection_closed") return {};
    if (!frame && frame.error().code != "out_of_memory") return std::unexpected(frame.error());
    if (frame && frame->kind == FrameKind::kStop) continue;  // it came too late to matter
    TRY_ASSIGN(std::string answer, answer_within_memory(handler, std::move(frame)));
    TRY(send_frame(socket, FrameKind::kMessage, answer, {}));
  }
}

void refuse_client(int socket, Error const& why) {
  end_with_client(socket);
  if (receive_frame(socket, {}))
    (void)send_frame(
        socket, FrameKind::kMessage,
        failure({why.code, to_sentence(why), {}, Fault::kEnvironment}).SerializeAsString(), {});
}

}  // namespace tw
