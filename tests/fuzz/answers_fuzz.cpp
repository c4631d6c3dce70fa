// What a device may say to its client: any frames over a socket, whatever was asked.
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "engine/device/wire_device.h"
#include "tests/fuzz/target.h"

using namespace tw;

namespace {

constexpr size_t kMostInput = 1 << 16;  // fits a socket's buffer, so that one thread is enough

/// A line whose other end has said everything already.
class SaidConnection final : public Connection {
public:
  SaidConnection(uint8_t const* data, size_t size) {
    TW_ASSERT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()) == 0, "two sockets can be had");
    TW_ASSERT(write(ends_[1], data, size) == ssize_t(size), "the input fits the socket's buffer");
    shutdown(ends_[1], SHUT_WR);
    if (size > 0) end_ = {.signal = data[0] % 32, .code = data[size - 1]};
  }
  ~SaidConnection() override {
    close(ends_[0]);
    close(ends_[1]);
  }
  int socket() const override { return ends_[0]; }
  bool open() override { return true; }
  void cut() override {}
  ConnectionEnd wait_for_end() override { return end_; }

private:
  std::array<int, 2> ends_{};
  ConnectionEnd end_;
};

void look_at(auto const& result) {
  if (result)
    ++fuzz::accepted;
  else
    fuzz::check_sentence(result.error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, size_t size) {
  if (size > kMostInput) return 0;
  bool opened = false;
  WireDevice device(
      [&](CallOptions const&) -> Result<std::unique_ptr<Connection>> {
        if (opened) return environment_failed("device_unavailable", "it does not come back");
        opened = true;
        return std::make_unique<SaidConnection>(data, size);
      },
      std::chrono::milliseconds(10));
  CallOptions options{.timeout = std::chrono::milliseconds(200)};
  look_at(device.describe(options));
  auto tensor = device.allocate(64, options);
  look_at(tensor);
  std::array<std::byte, 64> bytes{};
  TensorHandle handle{1, 1, 64};
  look_at(device.write(handle, 0, bytes, options));
  look_at(device.read(handle, 0, bytes, options));
  DeviceStep step{.library = {2, 1}, .symbol = "copy", .buffers = {{handle}}};
  look_at(device.run(std::span(&step, 1), 1, options));
  look_at(device.time(std::span(&step, 1), 1, {}, options));
  return 0;
}
