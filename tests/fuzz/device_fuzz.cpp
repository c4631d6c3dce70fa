// What a client may send to a device: frames over a socket, each one a request that is answered.
// The processor below has memory but no machine: its one kernel, "copy", moves a byte, "fail"
// returns an error.
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <map>

#include "engine/device/channel.h"
#include "engine/device/request_handler.h"
#include "tests/fuzz/target.h"

using namespace tw;

namespace {

constexpr int64_t kMostBytes = 1 << 20;
constexpr size_t kMostInput = 1 << 16;  // fits a socket's buffer, so that one thread is enough

class FakeLibrary final : public KernelLibrary {
public:
  Result<void*> find(std::string const& symbol) override {
    static int copy = 0, fail = 1;
    if (symbol == "copy") return &copy;
    if (symbol == "fail") return &fail;
    return bad_input("symbol_not_found", "there is no kernel '" + symbol + "'");
  }
};

class FakeProcessor final : public DeviceRuntime {
public:
  Status can_run(MachineNeeds const&) const override { return {}; }
  Result<void*> allocate(int64_t bytes) override {
    if (bytes < 0 || bytes > kMostBytes - used_)
      return refused("tensor_too_large", "the device is full");
    auto memory = std::make_unique<std::byte[]>(size_t(bytes));
    used_ += bytes;
    void* address = memory.get();
    tensors_[address] = {std::move(memory), bytes};
    return address;
  }
  void release(void* memory) override {
    auto found = tensors_.find(memory);
    TW_ASSERT(found != tensors_.end(), "what is released was allocated, and once");
    used_ -= found->second.second;
    tensors_.erase(found);
  }
  void write(MemoryPlace to, std::span<std::byte const> from) override {
    if (!from.empty()) std::memcpy(host_address(to), from.data(), from.size());
  }
  void read(std::span<std::byte> to, MemoryPlace from) override {
    if (!to.empty()) std::memcpy(to.data(), host_address(from), to.size());
  }
  void copy(MemoryPlace to, MemoryPlace from, int64_t bytes) override {
    if (bytes > 0) std::memmove(host_address(to), host_address(from), size_t(bytes));
  }
  void* host_address(MemoryPlace place) const override {
    return place.memory ? static_cast<std::byte*>(place.memory) + place.offset : nullptr;
  }
  Result<std::unique_ptr<KernelLibrary>> load(std::span<std::byte const> library) override {
    if (library.empty()) return bad_input("bad_library", "no bytes are no library");
    return std::make_unique<FakeLibrary>();
  }
  void use_threads(int threads) override {
    TW_ASSERT(threads >= 1 && threads <= 1024, "the number of threads was checked");
  }
  int32_t call(void* kernel, std::span<MemoryPlace const> buffers) override {
    calls += *static_cast<int*>(kernel) == 0 && buffers[0].memory != nullptr;
    return *static_cast<int*>(kernel);
  }
  int64_t calls = 0;

private:
  std::map<void*, std::pair<std::unique_ptr<std::byte[]>, int64_t>> tensors_;
  int64_t used_ = 0;
};

/// Answers frames until one is broken or none is left; nothing a client sends may do more harm.
void serve(int socket) {
  FakeProcessor processor;
  Hardware hardware;
  int patience = 0;
  std::vector<std::string> open_ways;
  RequestHandler handler(processor, hardware, open_ways, [&] { return ++patience > 8; });
  while (Result<Frame> frame = receive_frame(socket, {})) {
    wire::Request request;
    if (frame->kind != FrameKind::kMessage) continue;
    if (!request.ParseFromString(frame->bytes)) return;
    if (request.has_time()) {  // a client may ask for hours
      request.mutable_time()->set_warm_up(std::min(request.time().warm_up(), 2));
      request.mutable_time()->set_repeats(std::min(request.time().repeats(), 2));
      if (request.time().min_sample_seconds() > 0)
        request.mutable_time()->set_min_sample_seconds(0);
    }
    patience = 0;
    wire::Response response = handler.answer(request);
    fuzz::accepted += !response.has_failure();
    TW_ASSERT(response.kind_case() != wire::Response::KIND_NOT_SET, "every request has an answer");
    TW_ASSERT(response.SerializeAsString().size() <= kMostFrameBytes, "every answer can be sent");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, size_t size) {
  if (size > kMostInput) return 0;
  int ends[2];
  TW_ASSERT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "two sockets can be had");
  TW_ASSERT(write(ends[0], data, size) == ssize_t(size), "the input fits the socket's buffer");
  close(ends[0]);
  serve(ends[1]);
  close(ends[1]);
  return 0;
}
