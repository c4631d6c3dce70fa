/// A line between a client and a server that changes one byte, or ends, where a word passes.
#pragma once

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "tests/device/relay.h"

namespace tw::test {

enum class AtWord : uint8_t { kChangesTheNextByte, kEnds };

class ChangingLine {
public:
  explicit ChangingLine(int target)
      : relay_(target, [this](int client, int server) { join(client, server); }) {}
  ~ChangingLine() {
    relay_.end();
    ended_ = true;
  }

  std::string address() const { return relay_.address(); }
  /// Once, in either direction; before anything is sent. `word` lies in one piece of the stream.
  void arm(std::string word, AtWord then) {
    word_ = std::move(word);
    then_ = then;
    armed_ = true;
  }
  bool met() const { return !armed_; }

private:
  void join(int client, int server) {
    pumps_.emplace_back([this, client, server] {
      pump(client, server);
      close(client);
      close(server);
    });
  }
  void pump(int client, int server) {
    std::string bytes(1 << 16, '\0');
    while (!ended_) {
      pollfd polled[2] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
      if (poll(polled, 2, 20) <= 0) continue;
      for (int i : {0, 1}) {
        if (polled[i].revents == 0) continue;
        ssize_t count = read(polled[i].fd, bytes.data(), bytes.size());
        if (count <= 0 || !pass(std::string(bytes, 0, size_t(count)), polled[1 - i].fd)) return;
      }
    }
  }
  bool pass(std::string bytes, int to) {
    size_t at = armed_ ? bytes.find(word_) : std::string::npos;
    if (at != std::string::npos && at + word_.size() < bytes.size()) {
      armed_ = false;
      if (then_ == AtWord::kEnds) return send_all(to, bytes.data(), at), false;
      bytes[at + word_.size()] ^= 1;
    }
    return send_all(to, bytes.data(), bytes.size());
  }

  std::string word_;
  AtWord then_ = AtWord::kEnds;
  std::atomic<bool> armed_{false}, ended_{false};
  std::vector<std::jthread> pumps_;  ///< of the relay's thread, until that has ended
  Relay relay_;
};

}  // namespace tw::test
