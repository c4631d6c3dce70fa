#include "engine/device/driver_relay.h"

#include <poll.h>

#include <cerrno>
#include <new>

#include "engine/device/channel.h"
#include "engine/device/failure.h"
#include "engine/device/request_check.h"

namespace tw {
namespace {

class DriverRelay {
public:
  DriverRelay(int client, int driver, DriverProfile const& profile)
      : client_(client), driver_(driver), profile_(profile) {}

  Status run() {
    while (true) {
      pollfd polled[2] = {{client_, POLLIN, 0}, {driver_, POLLIN, 0}};
      if (poll(polled, 2, -1) < 0 && errno != EINTR)
        return environment_failed("connection_closed", "there is nothing to wait for");
      // The driver first: it may have answered what the client no longer waits for.
      if (polled[1].revents != 0) TRY(from_driver());
      if (polled[0].revents != 0) TRY(from_client());
    }
  }

private:
  Status from_driver() {
    Result<Frame> frame = receive_frame(driver_, {});
    if (!frame) return driver_ended();
    if (frame->kind == FrameKind::kMessage) working_ = false;
    return send_frame(client_, frame->kind, frame->bytes, {});
  }

  Status from_client() {
    Result<Frame> frame = receive_frame(client_, {});
    if (!frame && frame.error().code != "out_of_memory") return std::unexpected(frame.error());
    if (!frame) return answer(no_memory_left());
    if (frame->kind == FrameKind::kStop) return stop();
    try {
      return pass_on(std::move(*frame));
    } catch (std::bad_alloc const&) {
      return answer(no_memory_left());
    }
  }

  /// Once for a request: the driver does not read while it works, and a socket holds only so many.
  Status stop() {
    if (!working_ || stopping_) return {};  // it came too late to matter
    stopping_ = true;
    return to_driver(FrameKind::kStop, "");
  }

  Status pass_on(Frame frame) {
    wire::Request request;
    if (working_ || frame.kind != FrameKind::kMessage || !request.ParseFromString(frame.bytes))
      return environment_failed("malformed_frame",
                                "what came over the connection is not a request");
    std::string().swap(frame.bytes);  // the request has it all
    if (Status checked = check_request(request, profile_.check_library); !checked)
      return answer(checked.error());
    std::string bytes = request.SerializeAsString();
    working_ = true;
    stopping_ = false;
    return to_driver(FrameKind::kMessage, bytes);
  }

  Status to_driver(FrameKind kind, std::string_view bytes) {
    return send_frame(driver_, kind, bytes, {}) ? Status() : driver_ended();
  }
  static std::unexpected<Error> driver_ended() {
    return environment_failed("device_lost", "the driver's process ended");
  }

  Status answer(Error const& error) {
    return send_frame(client_, FrameKind::kMessage, failure(error).SerializeAsString(), {});
  }

  int client_, driver_;
  DriverProfile const& profile_;
  bool working_ = false;   ///< a request was passed on and not answered
  bool stopping_ = false;  ///< and the driver was told to come to its end
};

}  // namespace

Status relay_to_driver(int client, int driver, DriverProfile const& profile) {
  return DriverRelay(client, driver, profile).run();
}

}  // namespace tw
