/// A line between a client and a server on which every byte takes a while.
#pragma once

#include <netinet/tcp.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "tests/device/relay.h"

namespace tw::test {

class SlowLine {
public:
  SlowLine(int target, std::chrono::microseconds each_way)
      : delay_(each_way),
        relay_(target, [this](int client, int server) { join(client, server); }) {}
  ~SlowLine() {
    relay_.end();
    for (int socket : sockets_) shutdown(socket, SHUT_RDWR);
    pumps_.clear();
    for (int socket : sockets_) close(socket);
  }
  std::string address() const { return relay_.address(); }

private:
  using Clock = std::chrono::steady_clock;
  struct Piece {
    Clock::time_point due;
    std::string bytes;  ///< empty: the end
  };
  struct Way {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Piece> pieces;
  };

  void join(int client, int server) {
    int one = 1;
    for (int end : {client, server}) {
      setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
      sockets_.push_back(end);
    }
    lead(client, server);
    lead(server, client);
  }
  void lead(int from, int to) {
    auto way = std::make_shared<Way>();
    pumps_.emplace_back([this, from, way] {
      std::string bytes(1 << 16, '\0');
      for (ssize_t count = 1; count > 0;) {
        count = read(from, bytes.data(), bytes.size());
        std::lock_guard lock(way->mutex);
        way->pieces.push_back(
            {Clock::now() + delay_, bytes.substr(0, size_t(std::max<ssize_t>(count, 0)))});
        way->changed.notify_one();
      }
    });
    pumps_.emplace_back([to, way] {
      while (true) {
        std::unique_lock lock(way->mutex);
        way->changed.wait(lock, [&] { return !way->pieces.empty(); });
        Piece piece = std::move(way->pieces.front());
        way->pieces.pop_front();
        lock.unlock();
        std::this_thread::sleep_until(piece.due);
        if (piece.bytes.empty()) break;
        if (!send_all(to, piece.bytes.data(), piece.bytes.size())) return;
      }
      shutdown(to, SHUT_WR);
    });
  }

  std::chrono::microseconds delay_;
  std::vector<int> sockets_;         ///< of the relay's thread, until that has ended
  std::vector<std::jthread> pumps_;  ///< as well
  Relay relay_;
};

}  // namespace tw::test
