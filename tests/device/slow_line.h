/// A line between a client and a server on which every byte takes a while.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tw::test {

class SlowLine {
public:
  SlowLine(int target, std::chrono::microseconds each_way) : target_(target), delay_(each_way) {
    sockaddr_in any = loopback(0);
    socklen_t size = sizeof any;
    bind(listener_, reinterpret_cast<sockaddr*>(&any), sizeof any);
    listen(listener_, 16);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&any), &size);
    port_ = ntohs(any.sin_port);
    acceptor_ = std::jthread([this](std::stop_token stop) { accept_all(stop); });
  }
  ~SlowLine() {
    acceptor_ = {};
    for (int socket : sockets_) shutdown(socket, SHUT_RDWR);
    pumps_.clear();
    for (int socket : sockets_) close(socket);
    close(listener_);
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

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
      int one = 1;
      for (int end : {client, server}) {
        setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        sockets_.push_back(end);
      }
      lead(client, server);
      lead(server, client);
    }
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
        for (size_t at = 0; at < piece.bytes.size();) {
          ssize_t sent = send(to, piece.bytes.data() + at, piece.bytes.size() - at, MSG_NOSIGNAL);
          if (sent <= 0) return;
          at += size_t(sent);
        }
      }
      shutdown(to, SHUT_WR);
    });
  }

  int listener_ = socket(AF_INET, SOCK_STREAM, 0);
  int target_ = 0, port_ = 0;
  std::chrono::microseconds delay_;
  std::vector<int> sockets_;         ///< of the acceptor, until that has ended
  std::vector<std::jthread> pumps_;  ///< as well
  std::jthread acceptor_;
};

}  // namespace tw::test
