/// A line between a client and a server that a test can cut or mute.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace tw::test {

class CutLine {
public:
  explicit CutLine(int target) : target_(target) {
    sockaddr_in any = loopback(0);
    socklen_t size = sizeof any;
    bind(listener_, reinterpret_cast<sockaddr*>(&any), sizeof any);
    listen(listener_, 16);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&any), &size);
    port_ = ntohs(any.sin_port);
    acceptor_ = std::jthread([this](std::stop_token stop) { accept_all(stop); });
  }
  ~CutLine() {
    acceptor_ = {};
    cut();
    pumps_.clear();
    close(listener_);
  }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  /// Both ends see a closed connection; a new one may be made.
  void cut() {
    ++cuts_;
    muted_ = false;
  }
  /// Bytes are swallowed, as by a cable that was pulled.
  void mute() { muted_ = true; }

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
      pumps_.emplace_back([this, client, server, cuts = cuts_.load()] {
        pump(client, server, cuts);
        close(client);
        close(server);
      });
    }
  }

  void pump(int client, int server, int cuts) {
    std::vector<char> bytes(1 << 16);
    while (cuts_ == cuts) {
      pollfd polled[2] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
      if (poll(polled, 2, 20) <= 0) continue;
      for (int i : {0, 1}) {
        if (polled[i].revents == 0) continue;
        ssize_t count = read(polled[i].fd, bytes.data(), bytes.size());
        if (count <= 0) return;
        for (ssize_t at = 0; at < count && !muted_;) {
          ssize_t sent =
              send(polled[1 - i].fd, bytes.data() + at, size_t(count - at), MSG_NOSIGNAL);
          if (sent <= 0) return;
          at += sent;
        }
      }
    }
  }

  int listener_ = socket(AF_INET, SOCK_STREAM, 0);
  int target_ = 0, port_ = 0;
  std::atomic<int> cuts_{0};
  std::atomic<bool> muted_{false};
  std::vector<std::jthread> pumps_;  ///< of the acceptor, until that has ended
  std::jthread acceptor_;
};

}  // namespace tw::test
