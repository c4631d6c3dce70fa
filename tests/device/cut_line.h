/// A line between a client and a server that a test can cut or mute.
#pragma once

#include <atomic>
#include <vector>

#include "tests/device/relay.h"

namespace tw::test {

class CutLine {
public:
  explicit CutLine(int target)
      : relay_(target, [this](int client, int server) { join(client, server); }) {}
  ~CutLine() {
    relay_.end();
    cut();
  }

  std::string address() const { return relay_.address(); }
  /// Both ends see a closed connection; a new one may be made.
  void cut() {
    ++cuts_;
    muted_ = false;
  }
  /// Bytes are swallowed, as by a cable that was pulled.
  void mute() { muted_ = true; }

private:
  void join(int client, int server) {
    pumps_.emplace_back([this, client, server, cuts = cuts_.load()] {
      pump(client, server, cuts);
      close(client);
      close(server);
    });
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
        if (!muted_ && !send_all(polled[1 - i].fd, bytes.data(), size_t(count))) return;
      }
    }
  }

  std::atomic<int> cuts_{0};
  std::atomic<bool> muted_{false};
  std::vector<std::jthread> pumps_;  ///< of the relay's thread, until that has ended
  Relay relay_;
};

}  // namespace tw::test
