/// A client that speaks HTTP/2 as it likes: what no client of ours does must not harm a device.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

namespace tw::test {

class RawClient {
public:
  explicit RawClient(int port) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(uint16_t(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }
  ~RawClient() { close(socket_); }
  RawClient(RawClient const&) = delete;

  bool connected() const { return connected_; }

  /// HTTP/2's first words and no settings.
  bool greet() { return send_text("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") && send_frame(4, 0, 0, ""); }
  /// Opens a stream of the device's service.
  bool open_stream(uint32_t stream, std::string const& token = {}) {
    std::string block = header(":method", "POST") + header(":scheme", "http") +
                        header(":path", "/tw.rpc.Device/Open") + header(":authority", "device") +
                        header("content-type", "application/grpc") + header("te", "trailers") +
                        header("tilewright-protocol", "2");
    if (!token.empty()) block += header("authorization", "Bearer " + token);
    return send_frame(1, 4, stream, block);
  }
  bool reset_stream(uint32_t stream) { return send_frame(3, 0, stream, {"\0\0\0\x08", 4}); }
  bool send_frame(int type, int flags, uint32_t stream, std::string const& content) {
    std::string bytes;
    for (int shift : {16, 8, 0}) bytes += char(content.size() >> shift);
    bytes += char(type);
    bytes += char(flags);
    for (int shift : {24, 16, 8, 0}) bytes += char(stream >> shift);
    return send_text(bytes + content);
  }

  /// Streams a message that claims 4 GB, as fast as it is taken; the bytes until the other end had
  /// enough, or `most`.
  int64_t send_endless_message(uint32_t stream, int64_t most) {
    std::string piece("\0\xFF\xFF\xFF\xFF", 5);
    piece.resize(16384, 'x');
    int64_t sent = 0;
    while (sent < most) {
      while (window_ < 16384 || stream_window_ < 16384)
        if (!take_frame()) return sent;
      if (!send_frame(0, 0, stream, piece)) return sent;
      sent += 16384;
      window_ -= 16384;
      stream_window_ -= 16384;
      piece.assign(16384, 'x');
    }
    return sent;
  }

  /// Whether the other end has closed, within the time.
  bool closed(int milliseconds) {
    for (char unused[4096];;) {
      pollfd polled{socket_, POLLIN, 0};
      if (poll(&polled, 1, milliseconds) <= 0) return false;
      if (recv(socket_, unused, sizeof unused, 0) <= 0) return true;
    }
  }

private:
  static std::string header(std::string const& name, std::string const& value) {
    // A literal without a place in the table; all lengths here are below 127.
    return std::string(1, '\0') + char(name.size()) + name + char(value.size()) + value;
  }

  bool send_text(std::string const& text) {
    for (size_t at = 0; at < text.size();) {
      ssize_t count = send(socket_, text.data() + at, text.size() - at, MSG_NOSIGNAL);
      if (count <= 0) return false;
      at += size_t(count);
    }
    return true;
  }

  bool receive(char* bytes, size_t size) {
    for (size_t at = 0; at < size;) {
      pollfd polled{socket_, POLLIN, 0};
      if (poll(&polled, 1, 5000) <= 0) return false;
      ssize_t count = recv(socket_, bytes + at, size - at, 0);
      if (count <= 0) return false;
      at += size_t(count);
    }
    return true;
  }

  /// Reads one frame: windows grow, settings are taken, pings answered.
  bool take_frame() {
    char head[9];
    if (!receive(head, 9)) return false;
    auto number = [](char const* at, int count) {
      uint32_t value = 0;
      for (int i = 0; i < count; ++i) value = value << 8 | uint8_t(at[i]);
      return value;
    };
    std::string content(number(head, 3), '\0');
    if (!receive(content.data(), content.size())) return false;
    uint32_t stream = number(head + 5, 4);
    if (head[3] == 8) (stream == 0 ? window_ : stream_window_) += number(content.data(), 4);
    if (head[3] == 4 && !(head[4] & 1)) {
      for (size_t at = 0; at + 6 <= content.size(); at += 6)
        if (number(content.data() + at, 2) == 4)
          stream_window_ += number(content.data() + at + 2, 4) - 65535;
      return send_frame(4, 1, 0, "");
    }
    if (head[3] == 6 && !(head[4] & 1)) return send_frame(6, 1, 0, content);
    return head[3] != 3 && head[3] != 7;  // reset, or gone away
  }

  int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool connected_ = false;
  int64_t window_ = 65535, stream_window_ = 65535;
};

}  // namespace tw::test
