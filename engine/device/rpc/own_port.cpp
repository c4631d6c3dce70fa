#include "engine/device/rpc/own_port.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

namespace tw {
namespace {

constexpr int kPatience = 5000;  // milliseconds

/// HTTP/2's first words and an empty list of settings, which are answered with settings.
constexpr std::string_view kPreface("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33);
/// No words of TLS: they are answered with an alert, or the end.
constexpr std::string_view kNoTls("tilewright asks itself\r\n\r\n");

std::unexpected<Error> deaf(char const* doing) {
  return environment_failed(
      "server_deaf", std::string(doing) + ": " + (errno ? std::strerror(errno) : "nothing comes"));
}

bool wait_for(int socket, short events) {
  pollfd polled{socket, events, 0};
  errno = 0;
  return poll(&polled, 1, kPatience) > 0;
}

struct Socket {
  int number = -1;
  ~Socket() {
    if (number >= 0) close(number);
  }
};

/// Bound to a port of this end, so that it is known before the other end sees it.
int bind_here(Socket const& socket, int family) {
  sockaddr_storage own{};
  own.ss_family = sa_family_t(family);
  if (bind(socket.number, reinterpret_cast<sockaddr*>(&own), sizeof(sockaddr_in6)) != 0) return -1;
  socklen_t size = sizeof own;
  getsockname(socket.number, reinterpret_cast<sockaddr*>(&own), &size);
  // The port lies at the same place in both.
  return ntohs(reinterpret_cast<sockaddr_in*>(&own)->sin_port);
}

}  // namespace

Status ask_own_port(DeviceAddress const& address, bool encrypted,
                    std::function<void(int port)> const& from) {
  std::string host = address.host == "0.0.0.0" ? "127.0.0.1"
                     : address.host == "::"    ? "::1"
                                               : address.host;
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  errno = EADDRNOTAVAIL;
  if (getaddrinfo(host.c_str(), std::to_string(address.port).c_str(), &hints, &found) != 0)
    return host == "localhost" ? ask_own_port({"127.0.0.1", address.port, true}, encrypted, from)
                               : deaf("to resolve its own address");
  Socket own{socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  int port = own.number < 0 ? -1 : bind_here(own, found->ai_family);
  if (port > 0) from(port);
  bool began = port > 0 && (connect(own.number, found->ai_addr, found->ai_addrlen) == 0 ||
                            errno == EINPROGRESS);
  freeaddrinfo(found);
  if (!began || !wait_for(own.number, POLLOUT)) return deaf("to connect");
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(own.number, SOL_SOCKET, SO_ERROR, &error, &size);
  errno = error;
  if (error != 0) return deaf("to connect");
  std::string_view words = encrypted ? kNoTls : kPreface;
  if (send(own.number, words.data(), words.size(), MSG_NOSIGNAL) < 0) return deaf("to ask");
  if (!wait_for(own.number, POLLIN)) return deaf("to wait for an answer");
  char answer[64];
  ssize_t count = recv(own.number, answer, sizeof answer, 0);
  errno = 0;
  // Settings begin with their length and the number of their kind. TLS only had to react.
  bool settings = count >= 9 && answer[3] == 4;
  if (!settings && !encrypted) return deaf("to understand the answer");
  return {};
}

}  // namespace tw
