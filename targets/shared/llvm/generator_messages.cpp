#include "targets/shared/llvm/generator_messages.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string_view>

namespace tw {
namespace {

constexpr uint64_t kMostBytes = uint64_t(1) << 31;

class Writer {
public:
  void number(uint64_t value) { bytes.append(reinterpret_cast<char const*>(&value), sizeof value); }
  void text(std::string_view value) {
    number(value.size());
    bytes.append(value);
  }
  template <typename T>
  void list(std::vector<T> const& values) {
    text({reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T)});
  }

  std::string bytes;
};

class Reader {
public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}

  uint64_t number() {
    uint64_t value = 0;
    std::string_view bytes = take(sizeof value);
    if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::string text() { return std::string(take(number())); }
  template <typename T>
  std::vector<T> list() {
    std::string_view bytes = take(number());
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }
  /// All was there, and nothing is left.
  bool is_done() const { return whole_ && left_.empty(); }

private:
  std::string_view take(uint64_t count) {
    whole_ = whole_ && count <= left_.size();
    if (!whole_) return {};
    std::string_view taken = left_.substr(0, count);
    left_.remove_prefix(count);
    return taken;
  }

  std::string_view left_;
  bool whole_ = true;
};

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
  Writer out;
  for (std::string const* one : {&machine.triple, &machine.cpu, &machine.features}) out.text(*one);
  out.number(uint64_t(machine.vector_bits));
  out.number(uint64_t(tier));
  out.number(uint64_t(texts));
  out.text(module);
  return std::move(out.bytes);
}

std::optional<GeneratorRequest> GeneratorRequest::from_bytes(std::string const& bytes) {
  Reader in(bytes);
  GeneratorRequest request;
  for (std::string* one :
       {&request.machine.triple, &request.machine.cpu, &request.machine.features})
    *one = in.text();
  request.machine.vector_bits = int(in.number());
  request.tier = CodeTier(in.number());
  request.texts = CodeTexts(in.number());
  request.module = in.text();
  return in.is_done() ? std::optional(std::move(request)) : std::nullopt;
}

std::string to_bytes(Result<Emitted> const& reply) {
  Writer out;
  out.number(reply.has_value());
  if (!reply) {
    out.text(reply.error().code);
    out.text(reply.error().message);
    out.number(uint64_t(reply.error().fault));
    return std::move(out.bytes);
  }
  out.list(reply->object);
  out.text(reply->assembly);
  out.list(reply->source_line);
  out.number(uint64_t(reply->instructions));
  out.number(uint64_t(reply->instructions_located));
  out.text(reply->ir);
  return std::move(out.bytes);
}

std::optional<Result<Emitted>> reply_from_bytes(std::string const& bytes) {
  Reader in(bytes);
  if (in.number() == 0) {
    Error error;
    error.code = in.text();
    error.message = in.text();
    error.fault = Fault(in.number());
    if (!in.is_done()) return std::nullopt;
    return Result<Emitted>(std::unexpected(std::move(error)));
  }
  Emitted emitted;
  emitted.object = in.list<std::byte>();
  emitted.assembly = in.text();
  emitted.source_line = in.list<int32_t>();
  emitted.instructions = int(in.number());
  emitted.instructions_located = int(in.number());
  emitted.ir = in.text();
  if (!in.is_done()) return std::nullopt;
  return Result<Emitted>(std::move(emitted));
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
  if (count > kMostBytes) return Received::kGone;
  bytes.resize(count);
  return receive_all(socket, bytes.data(), count, limit);
}

}  // namespace tw
