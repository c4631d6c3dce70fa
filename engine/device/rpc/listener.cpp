#include "engine/device/rpc/listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tw {
namespace {

using namespace std::chrono;

constexpr milliseconds kBetweenLooks{50};
/// Of an address that is slowed down: between looks, between turns, and how long it stays so.
constexpr milliseconds kShortLook{2}, kBetweenTurns{50}, kSlow{10'000};
/// More than a client sends before it has its first answer.
constexpr int64_t kManyBytes = 4 << 10;

struct Peer {
  std::string host;
  int port = 0;
};

/// As gRPC has it: a number of version 4 in the form of version 6 is one of version 4.
Peer peer_of(sockaddr_storage const& address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address.ss_family == AF_INET) {
    auto const& four = reinterpret_cast<sockaddr_in const&>(address);
    inet_ntop(AF_INET, &four.sin_addr, text, sizeof text);
    return {text, ntohs(four.sin_port)};
  }
  auto const& six = reinterpret_cast<sockaddr_in6 const&>(address);
  if (IN6_IS_ADDR_V4MAPPED(&six.sin6_addr))
    inet_ntop(AF_INET, six.sin6_addr.s6_addr + 12, text, sizeof text);
  else
    inet_ntop(AF_INET6, &six.sin6_addr, text, sizeof text);
  return {text, ntohs(six.sin6_port)};
}

int64_t received_bytes(int socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
  return int64_t(info.tcpi_bytes_received);
}

/// A stranger's bytes wait in the system, not in gRPC, which reads all that there is at once: a
/// small buffer bounds what comes before the next look.
void narrow(int socket) {
  int small = 4 << 10;
  setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
}

void widen(int socket) {
#ifndef SO_BUF_LOCK
  constexpr int SO_BUF_LOCK = 72;
#endif
  int large = 4 << 20, none = 0;
  setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &large, sizeof large);
  setsockopt(socket, SOL_SOCKET, SO_BUF_LOCK, &none, sizeof none);  // it grows by itself again
}

std::unexpected<Error> unavailable(DeviceAddress const& address) {
  return environment_failed("server_unavailable", "the device cannot listen on " +
                                                      to_text(address) +
                                                      ": the port is taken or not allowed (" +
                                                      std::strerror(errno) + ")");
}

/// A socket that listens, and only this one on its port. -1: errno says why.
int listen_on(addrinfo const& where) {
  int made = socket(where.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return -1;
  int yes = 1, no = 0;
  setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (where.ai_family == AF_INET6) setsockopt(made, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  if (bind(made, where.ai_addr, where.ai_addrlen) == 0 && listen(made, 1024) == 0) return made;
  int error = errno;
  close(made);
  errno = error;
  return -1;
}

}  // namespace

std::string peer_text(std::string const& peer) {
  std::string text = peer.substr(peer.find(':') + 1);
  for (auto [from, to] : {std::pair("%5B", "["), std::pair("%5D", "]")})
    if (size_t at = text.find(from); at != std::string::npos) text.replace(at, 3, to);
  return text;
}

Result<std::unique_ptr<Listener>> Listener::open(DeviceAddress const& address, ListenLimits limits,
                                                 ServerLog log) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | (address.host == "localhost" ? 0 : AI_NUMERICHOST);
  std::string host = address.host, service = std::to_string(address.port);
  int unknown = getaddrinfo(host.c_str(), service.c_str(), &hints, &found);
  // A machine may not know its own name.
  if (unknown != 0 && host == "localhost")
    unknown = getaddrinfo("127.0.0.1", service.c_str(), &hints, &found);
  if (unknown != 0) {
    errno = EADDRNOTAVAIL;
    return unavailable(address);
  }
  int made = -1;
  for (addrinfo* one = found; one != nullptr && made < 0; one = one->ai_next)
    made = listen_on(*one);
  freeaddrinfo(found);
  if (made < 0) return unavailable(address);
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  getsockname(made, reinterpret_cast<sockaddr*>(&own), &size);
  return std::unique_ptr<Listener>(new Listener(made, peer_of(own).port, limits, std::move(log)));
}

Listener::Listener(int socket, int port, ListenLimits limits, ServerLog log)
    : socket_(socket),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      port_(port),
      limits_(limits),
      log_(std::move(log)) {}

Listener::~Listener() {
  stop();
  close(wake_);
}

void Listener::start(std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor) {
  acceptor_ = std::move(acceptor);
  server_ = std::jthread([this](std::stop_token stop) { serve(std::move(stop)); });
}

void Listener::stop() {
  server_.request_stop();
  eventfd_write(wake_, 1);
  if (server_.joinable()) server_.join();
  if (socket_ >= 0) close(std::exchange(socket_, -1));
  std::lock_guard lock(mutex_);
  for (Connection& connection : connections_) close(connection.socket);
  connections_.clear();
}

std::string Listener::failure() const {
  std::lock_guard lock(mutex_);
  return failure_;
}

Listener::Connection* Listener::find(std::string const& peer) {
  auto found = std::ranges::find(connections_, peer_text(peer), &Connection::peer);
  return found == connections_.end() ? nullptr : &*found;
}

void Listener::trust(std::string const& peer) {
  std::lock_guard lock(mutex_);
  Connection* connection = find(peer);
  if (connection == nullptr) return;
  connection->trusted = true;
  widen(connection->socket);
  connection->marked_bytes = received_bytes(connection->socket);
}

void Listener::count_refusal(std::string const& peer) {
  std::lock_guard lock(mutex_);
  Connection* connection = find(peer);
  if (connection == nullptr || ++connection->refusals < limits_.refusals) return;
  slow_down(connection->host);
  end(*connection, "was refused too many times");
}

void Listener::count_message(std::string const& peer) {
  std::lock_guard lock(mutex_);
  if (Connection* connection = find(peer))
    connection->marked_bytes = received_bytes(connection->socket);
}

/// Closed for whoever reads from it, gRPC too; it is forgotten with the next look.
void Listener::end(Connection& connection, char const* why) {
  if (connection.socket < 0) return;
  shutdown(connection.socket, SHUT_RDWR);
  close(std::exchange(connection.socket, -1));
  if (why != nullptr && log_)
    log_(LogTopic::kConnections, connection.peer + " " + why + ": its connection was ended");
}

/// Whoever waits longest without a token makes room.
void Listener::make_room(std::string const& host) {
  size_t all = 0, same = 0;
  Connection *oldest = nullptr, *oldest_same = nullptr;
  for (Connection& one : connections_) {
    if (one.trusted || one.own || one.socket < 0) continue;
    ++all;
    if (oldest == nullptr) oldest = &one;
    if (one.host != host) continue;
    ++same;
    if (oldest_same == nullptr) oldest_same = &one;
  }
  if (same >= limits_.strangers_per_peer)
    end(*oldest_same, nullptr);
  else if (all >= limits_.strangers)
    end(*oldest, nullptr);
}

void Listener::add(int socket, std::string const& peer, std::string const& host, int port) {
  int yes = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  narrow(socket);
  std::lock_guard lock(mutex_);
  make_room(host);
  Connection made;
  made.socket = socket;
  made.peer = peer;
  made.host = host;
  made.since = steady_clock::now();
  made.own = port == own_port_;
  connections_.push_back(std::move(made));
}

void Listener::accept_all() {
  constexpr int kAtOnce = 64;
  for (int i = 0; i < kAtOnce; ++i) {
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    int taken =
        accept4(socket_, reinterpret_cast<sockaddr*>(&from), &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (taken >= 0) {
      Peer peer = peer_of(from);
      add(taken, to_text(DeviceAddress{peer.host, peer.port}), peer.host, peer.port);
      continue;
    }
    if (errno == EAGAIN) return;
    if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK) {
      std::lock_guard lock(mutex_);
      failure_ = std::string("no more connections can be accepted: ") + std::strerror(errno);
      return;
    }
    if (errno != EMFILE && errno != ENFILE && errno != ENOMEM && errno != ENOBUFS) continue;
    // Until others have given descriptors back, the waiting wait.
    std::this_thread::sleep_for(milliseconds(10));
    return;
  }
}

/// gRPC reads from now on; a second name of the socket tells when it is closed, and closes it.
void Listener::hand_over(Connection& connection) {
  int second = fcntl(connection.socket, F_DUPFD_CLOEXEC, 0);
  if (second < 0) return end(connection, nullptr);
  grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters parameters;
  parameters.fd = std::exchange(connection.socket, second);
  connection.handed_over = true;
  acceptor_->HandleNewConnection(&parameters);
}

void Listener::slow_down(std::string const& host) {
  auto now = steady_clock::now();
  Host& slow = hosts_[host];
  if (slow.slow_until < now && log_)
    log_(LogTopic::kConnections, host + " is slowed down: it sends too much without a token");
  slow.slow_until = now + kSlow;
}

/// Of a stranger: whether gRPC may see it now.
bool Listener::may_enter(Connection const& connection) {
  auto found = hosts_.find(connection.host);
  auto now = steady_clock::now();
  if (connection.own || found == hosts_.end() || found->second.slow_until < now) return true;
  bool another = std::ranges::any_of(connections_, [&](Connection const& one) {
    return one.handed_over && !one.trusted && one.socket >= 0 && one.host == connection.host;
  });
  if (another || now < found->second.next_turn) return false;
  found->second.next_turn = now + kBetweenTurns;
  return true;
}

/// The other end, or gRPC, has closed it.
void Listener::close_ended(Connection& connection) {
  int64_t bytes = received_bytes(connection.socket);
  close(std::exchange(connection.socket, -1));
  if (connection.trusted || connection.own || !connection.handed_over) return;
  if (log_ && bytes > 0)
    log_(LogTopic::kConnections,
         connection.peer + " was refused: it sent no token, or a wrong one");
  auto now = steady_clock::now();
  Host& host = hosts_[connection.host];
  if (now - host.second > seconds(1)) {
    host.second = now;
    host.went = 0;
  }
  if (++host.went > limits_.strangers_per_second || bytes > kManyBytes) slow_down(connection.host);
}

void Listener::look_at(Connection& connection, short events) {
  if (connection.socket < 0) return;
  if (events & (POLLRDHUP | POLLHUP | POLLERR)) return close_ended(connection);
  int64_t bytes = received_bytes(connection.socket) - connection.marked_bytes;
  if (connection.trusted) {
    if (limits_.message_bytes > 0 && bytes > limits_.message_bytes)
      end(connection, "sent a message that is too large");
    return;
  }
  // A client waits for an answer to its first words, also for its turn.
  if (bytes > limits_.stranger_bytes) {
    slow_down(connection.host);
    return end(connection, "sent too much data without a token");
  }
  // Both TLS and HTTP/2 begin with the client's words: who says none costs gRPC nothing.
  if (!connection.handed_over && (events & POLLIN) && may_enter(connection)) hand_over(connection);
  if (connection.socket < 0) return;
  if (steady_clock::now() - connection.since > limits_.patience)
    end(connection, connection.handed_over ? "sent no token in time" : nullptr);
}

/// Strangers inside are looked at often anyway.
short Listener::events_of(Connection const& connection) {
  bool hears = connection.trusted || !connection.handed_over;
  return short(POLLRDHUP | (hears ? POLLIN : 0));
}

bool Listener::any_stranger_inside() const {
  return std::ranges::any_of(connections_, [](Connection const& one) {
    return one.handed_over && !one.trusted && one.socket >= 0;
  });
}

bool Listener::any_slow() const {
  auto now = steady_clock::now();
  return std::ranges::any_of(hosts_, [&](auto const& one) { return one.second.slow_until > now; });
}

void Listener::serve(std::stop_token stop) {
  auto looked = steady_clock::now();
  std::vector<pollfd> polled;
  bool sends = false;
  while (!stop.stop_requested()) {
    polled = {{socket_, POLLIN, 0}, {wake_, POLLIN, 0}};
    milliseconds between = kBetweenLooks;
    {
      std::lock_guard lock(mutex_);
      std::erase_if(connections_, [](Connection const& one) { return one.socket < 0; });
      for (Connection const& one : connections_) polled.push_back({one.socket, events_of(one), 0});
      std::erase_if(hosts_, [now = steady_clock::now()](auto const& one) {
        return one.second.slow_until < now && now - one.second.second > seconds(2);
      });
      if (any_stranger_inside() || (any_slow() && !connections_.empty())) between = kShortLook;
    }
    // Who waits for a turn, or sends a long message, is readable all the time: that is looked at
    // now and then.
    if (between == kShortLook || sends) std::this_thread::sleep_for(kShortLook);
    sends = false;
    int wait = polled.size() > 2 ? int(between.count()) : -1;
    if (poll(polled.data(), polled.size(), wait) < 0 && errno != EINTR) continue;
    {
      // Others end connections in the meantime and add none: the order is the same.
      std::lock_guard lock(mutex_);
      bool all = steady_clock::now() - looked >= between;
      if (all) looked = steady_clock::now();
      for (size_t i = 2; i < polled.size(); ++i) {
        sends = sends || (connections_[i - 2].trusted && (polled[i].revents & POLLIN));
        if (all || polled[i].revents != 0) look_at(connections_[i - 2], polled[i].revents);
      }
    }
    if (polled[0].revents != 0) accept_all();
    if (!failure().empty()) return;
  }
}

}  // namespace tw
