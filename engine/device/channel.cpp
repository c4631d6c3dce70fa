#include "engine/device/channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace tw {
namespace {

using namespace std::chrono;

/// Milliseconds until the deadline, rounded up; -1 for none.
int remaining(WaitLimit const& limit) {
  if (!limit.deadline) return -1;
  auto left = ceil<milliseconds>(*limit.deadline - steady_clock::now()).count();
  return int(std::clamp<int64_t>(left, 0, 1 << 30));
}

std::unexpected<Error> closed() {
  return environment_failed("connection_closed", "the connection to the device was closed");
}

Status wait_for(int socket, short events, WaitLimit const& limit) {
  while (true) {
    pollfd polled[2] = {{socket, events, 0}, {limit.stop_descriptor, POLLIN, 0}};
    int count = poll(polled, limit.stop_descriptor >= 0 ? 2 : 1, remaining(limit));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return closed();
    if (limit.stop_descriptor >= 0 && polled[1].revents != 0) {
      return refused("cancelled", "the work on the device was cancelled");
    }
    if (count == 0) return environment_failed("timed_out", "the device did not answer in time");
    return {};
  }
}

static_assert(EAGAIN == EWOULDBLOCK);
bool must_wait() { return errno == EAGAIN || errno == EINTR; }

Status send_all(int socket, char const* data, size_t size, WaitLimit const& limit) {
  while (size > 0) {
    ssize_t count = send(socket, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0 && !must_wait()) return closed();
    if (count < 0) {
      TRY(wait_for(socket, POLLOUT, limit));
      continue;
    }
    data += count;
    size -= size_t(count);
  }
  return {};
}

Status receive_all(int socket, char* data, size_t size, WaitLimit const& limit) {
  while (size > 0) {
    TRY(wait_for(socket, POLLIN, limit));
    ssize_t count = recv(socket, data, size, MSG_DONTWAIT);
    if (count == 0 || (count < 0 && !must_wait())) return closed();
    if (count < 0) continue;
    data += count;
    size -= size_t(count);
  }
  return {};
}

/// The content of a frame, of memory that is taken as it comes: a claim costs nothing. Where there
/// is none, the rest is thrown away, so that the next frame begins where it should.
Status receive_content(int socket, size_t size, std::string& bytes, WaitLimit const& limit) {
  constexpr size_t kPiece = 1 << 20;
  size_t done = 0;
  try {
    for (size_t piece; done < size; done += piece) {
      piece = std::min(kPiece, size - done);
      if (bytes.capacity() < done + piece) bytes.reserve(std::min(size, 2 * (done + piece)));
      bytes.resize(done + piece);
      TRY(receive_all(socket, bytes.data() + done, piece, limit));
    }
    return {};
  } catch (std::bad_alloc const&) {
    std::string().swap(bytes);
  }
  char unused[4096];
  while (done < size) {
    size_t piece = std::min(sizeof unused, size - done);
    TRY(receive_all(socket, unused, piece, limit));
    done += piece;
  }
  return environment_failed("out_of_memory", "there is not enough memory for a message of " +
                                                 std::to_string(size) + " bytes");
}

}  // namespace

Status wait_readable(int socket, WaitLimit const& limit) { return wait_for(socket, POLLIN, limit); }

Status send_frame(int socket, FrameKind kind, std::string_view bytes, WaitLimit const& limit) {
  if (bytes.size() > kMostFrameBytes) {
    return bad_input("frame_too_large", "a message of " + std::to_string(bytes.size()) +
                                            " bytes is too large for a device");
  }
  FrameHeader header{.kind = kind, .length = uint32_t(bytes.size())};
  TRY(send_all(socket, reinterpret_cast<char const*>(&header), sizeof header, limit));
  return send_all(socket, bytes.data(), bytes.size(), limit);
}

Result<Frame> receive_frame(int socket, WaitLimit const& limit) {
  FrameHeader header;
  TRY(receive_all(socket, reinterpret_cast<char*>(&header), sizeof header, limit));
  bool known = header.kind >= FrameKind::kMessage && header.kind <= FrameKind::kPart;
  if (header.magic != FrameHeader::kMagic || !known) {
    return environment_failed("malformed_frame", "what came over the connection is not a message");
  }
  if (header.length > kMostFrameBytes) {
    return environment_failed("frame_too_large",
                              "a message claims to have " + std::to_string(header.length) +
                                  " bytes; the limit is " + std::to_string(kMostFrameBytes));
  }
  Frame frame{header.kind, {}};
  TRY(receive_content(socket, header.length, frame.bytes, limit));
  return frame;
}

}  // namespace tw
