/// A server between a client and another server: what their line does a test decides.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <thread>

namespace tw::test {

class Relay {
public:
  /// `connected` is told of both ends, on the relay's thread, and must return at once; they are
  /// its.
  Relay(int target, std::function<void(int client, int server)> connected)
      : target_(target), connected_(std::move(connected)) {
    sockaddr_in any = loopback(0);
    socklen_t size = sizeof any;
    bind(listener_, reinterpret_cast<sockaddr*>(&any), sizeof any);
    listen(listener_, 16);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&any), &size);
    port_ = ntohs(any.sin_port);
    acceptor_ = std::jthread([this](std::stop_token stop) { accept_all(stop); });
  }
  ~Relay() {
    end();
    close(listener_);
  }
  /// Nobody is told any more once it has returned.
  void end() { acceptor_ = {}; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

private:
  static sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(uint16_t(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }
  void accept_all(std::stop_token stop) {
    while (!stop.stop_requested()) {
      pollfd polled{listener_, POLLIN, 0};
      if (poll(&polled, 1, 20) <= 0) continue;
      int client = accept(listener_, nullptr, nullptr), server = socket(AF_INET, SOCK_STREAM, 0);
      sockaddr_in to = loopback(target_);
      (void)!connect(server, reinterpret_cast<sockaddr*>(&to), sizeof to);
      connected_(client, server);
    }
  }

  int listener_ = socket(AF_INET, SOCK_STREAM, 0);
  int target_ = 0, port_ = 0;
  std::function<void(int client, int server)> connected_;
  std::jthread acceptor_;
};

/// All of it; false where nobody listens.
inline bool send_all(int to, char const* bytes, size_t count) {
  for (size_t at = 0; at < count;) {
    ssize_t sent = send(to, bytes + at, count - at, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    at += size_t(sent);
  }
  return true;
}

}  // namespace tw::test
