#include "targets/shared/llvm/generator_messages.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "targets/shared/llvm/message_codec.h"

namespace tw {
namespace {

constexpr uint64_t kMostBytes = uint64_t(1) << 31;
constexpr size_t kPart = size_t(1) << 20;

bool send_all(int socket, char const* at, size_t count) {
  while (count > 0) {
    ssize_t sent = ::send(socket, at, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    count -= size_t(sent);
  }
  return true;
}

Received receive_all(int socket, char* at, size_t count, std::chrono::milliseconds limit) {
  while (count > 0) {
    pollfd wait{socket, POLLIN, 0};
    int ready = ::poll(&wait, 1, limit.count() < 0 ? -1 : int(limit.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return Received::kLate;
    ssize_t got = ::recv(socket, at, count, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Received::kGone;
    at += got;
    count -= size_t(got);
  }
  return Received::kWhole;
}

}  // namespace

std::string GeneratorRequest::to_bytes() const {
  MessageWriter out;
  for (std::string const* one : {&machine.triple, &machine.cpu, &machine.features}) out.text(*one);
  out.number(uint64_t(machine.vector_bits));
  out.number(uint64_t(tier));
  out.number(uint64_t(texts));
  out.text(module);
  out.number(uint64_t(task));
  out.list(loop);
  return std::move(out.bytes);
}

std::optional<GeneratorRequest> GeneratorRequest::from_bytes(std::string const& bytes) {
  MessageReader in(bytes);
  GeneratorRequest request;
  for (std::string* one :
       {&request.machine.triple, &request.machine.cpu, &request.machine.features})
    *one = in.text();
  request.machine.vector_bits = int(in.number());
  request.tier = CodeTier(in.number());
  request.texts = CodeTexts(in.number());
  request.module = in.text();
  request.task = GeneratorTask(in.number());
  request.loop = in.list<int32_t>();
  return in.is_done() ? std::optional(std::move(request)) : std::nullopt;
}

bool send_bytes(int socket, std::string const& bytes) {
  uint64_t count = bytes.size();
  return send_all(socket, reinterpret_cast<char const*>(&count), sizeof count) &&
         send_all(socket, bytes.data(), bytes.size());
}

Received receive_bytes(int socket, std::string& bytes, std::chrono::milliseconds limit) {
  uint64_t count = 0;
  Received head = receive_all(socket, reinterpret_cast<char*>(&count), sizeof count, limit);
  if (head != Received::kWhole) return head;
  if (count > kMostBytes) return Received::kTooLong;
  bytes.clear();
  while (bytes.size() < count) {  // memory for what is there, not for what is announced
    size_t begin = bytes.size(), part = std::min(size_t(count) - begin, kPart + begin);
    bytes.resize(begin + part);
    Received got = receive_all(socket, bytes.data() + begin, part, limit);
    if (got != Received::kWhole) return got;
  }
  return Received::kWhole;
}

}  // namespace tw
