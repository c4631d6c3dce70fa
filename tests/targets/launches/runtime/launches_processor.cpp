// The machine that is started, as a device: the host's part of a library runs in this process, and
// starts functions of its image on threads that stand for a device.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "engine/device/device_runtime_table.h"
#include "engine/runtime/kernel_runtime.h"
#include "engine/runtime/library_parts.h"
#include "engine/runtime/module.h"
#include "engine/runtime/thread_pool.h"
#include "tests/targets/launches/launches.h"
#include "tests/targets/launches/runtime/memory.h"
#include "tests/targets/launches/runtime/stream.h"

namespace tw {
namespace {

using namespace launches;

class LaunchesLibrary;

struct HostKernel {
  TwKernel function = nullptr;
  LaunchesLibrary* library = nullptr;
};

class LaunchesLibrary final : public KernelLibrary {
public:
  LaunchesLibrary(LoadedModule host, LoadedModule image)
      : host_(std::move(host)), image_(std::move(image)) {}
  Result<void*> find(std::string const& symbol) override {
    TRY_ASSIGN(void* address, host_.symbol(symbol));
    HostKernel& kernel = kernels_[symbol];
    kernel = {reinterpret_cast<TwKernel>(address), this};
    return static_cast<void*>(&kernel);
  }
  Result<TwFunction> device_function(std::string const& name) override {
    auto address = image_.symbol(name);
    if (!address)
      return refused("symbol_not_found", "the module has no device function '" + name + "'");
    return reinterpret_cast<TwFunction>(*address);
  }

private:
  LoadedModule host_, image_;
  std::map<std::string, HostKernel> kernels_;
};

std::unexpected<Error> bad_launch(std::string const& why) {
  return bad_input("bad_launch", "a device function cannot be started: " + why);
}

/// Calls f(index) for each index inside of three extents.
template <typename F>
void for_each_index(uint32_t const (&extents)[3], F const& f) {
  for (uint32_t z = 0; z < extents[2]; ++z)
    for (uint32_t y = 0; y < extents[1]; ++y)
      for (uint32_t x = 0; x < extents[0]; ++x) f(std::array{x, y, z});
}

/// A launch on its way: what it needs is its own.
struct Started {
  DeviceFunction function = nullptr;
  std::vector<std::byte> packed;
  LaunchPoint extents;
  uint32_t shared_bytes = 0;

  /// The first code that is not 0.
  int32_t run() const {
    int32_t first = 0;
    for_each_index(extents.grid, [&](std::array<uint32_t, 3> block) {
      std::vector<std::byte> shared(shared_bytes);
      for_each_index(extents.block, [&](std::array<uint32_t, 3> thread) {
        LaunchPoint at = extents;
        std::ranges::copy(block, at.block_index);
        std::ranges::copy(thread, at.thread);
        at.shared = shared.data();
        if (first == 0) first = function(packed.data(), &at);
      });
    });
    return first;
  }
};

class LaunchesProcessor final : public DeviceRuntime {
public:
  explicit LaunchesProcessor(int64_t most_bytes) : memory_(most_bytes) {}

  Status can_run(MachineNeeds const&) const override { return {}; }

  Result<void*> allocate(int64_t bytes) override {
    TRY_ASSIGN(uintptr_t place, memory_.allocate(bytes));
    return reinterpret_cast<void*>(place);
  }
  void release(void* memory) override {
    finish_streams();
    memory_.release(reinterpret_cast<uintptr_t>(memory));
  }
  void write(MemoryPlace to, std::span<std::byte const> from) override {
    finish_streams();
    if (!from.empty()) std::memcpy(at(to), from.data(), from.size());
  }
  void read(std::span<std::byte> to, MemoryPlace from) override {
    finish_streams();
    if (!to.empty()) std::memcpy(to.data(), at(from), to.size());
  }
  void copy(MemoryPlace to, MemoryPlace from, int64_t bytes) override {
    finish_streams();
    if (bytes > 0) std::memmove(at(to), at(from), size_t(bytes));
  }
  void* host_address(MemoryPlace) const override { return nullptr; }

  Result<std::unique_ptr<KernelLibrary>> load(std::span<std::byte const> library) override;
  void use_threads(int threads) override {
    if (threads != pool_->threads()) pool_ = std::make_unique<ThreadPool>(threads);
  }
  int32_t call(void* kernel, std::span<MemoryPlace const> buffers) override {
    auto const& called = *static_cast<HostKernel*>(kernel);
    std::vector<void*> places;
    for (MemoryPlace const& one : buffers)
      places.push_back(one.memory ? static_cast<char*>(one.memory) + one.offset : nullptr);
    TwRuntime table = runtime_.table(*pool_->runtime(), *called.library);
    int32_t code = called.function(places.data(), &table);
    if (code != 0) (void)wait();  // what it had started already has no say any more
    return code;
  }
  int32_t wait() override {
    finish_streams();
    return code_.exchange(0);
  }
  std::optional<Error> take_failure() override { return runtime_.take_failure(); }

  Result<TwStream> create_stream() override {
    auto made = std::make_unique<Stream>();
    auto* handle = reinterpret_cast<TwStream>(made.get());
    streams_[handle] = std::move(made);
    return handle;
  }
  void destroy(TwStream stream) override { streams_.erase(stream); }
  Status synchronize(TwStream stream) override {
    of(stream).finish();
    return {};
  }
  Result<TwEvent> create_event() override { return reinterpret_cast<TwEvent>(new Event); }
  void destroy(TwEvent event) override { delete &of(event); }
  Status record(TwEvent event, TwStream stream) override {
    of(event).record(of(stream));
    return {};
  }
  Status wait_event(TwStream stream, TwEvent event) override {
    of(event).hold(of(stream));
    return {};
  }
  Result<double> elapsed(TwEvent from, TwEvent to) override {
    return Event::between(of(from), of(to));
  }
  TimedBy events_timed_by() const override { return TimedBy::kDevice; }
  Status launch(TwFunction function, TwLaunch const& how, TwStream stream) override;

private:
  std::byte* at(MemoryPlace place) {
    return memory_.find(reinterpret_cast<uintptr_t>(place.memory))->address + place.offset;
  }
  Stream& of(TwStream stream) { return stream ? *streams_.at(stream) : own_; }
  static Event& of(TwEvent event) { return *reinterpret_cast<Event*>(event); }
  void finish_streams() {
    own_.finish();
    for (auto& [handle, stream] : streams_) stream->finish();
  }
  Result<std::vector<std::byte>> packed(TwLaunch const& how);

  Memory memory_;
  std::atomic<int32_t> code_{0};  ///< the first that a device function returned
  std::map<TwStream, std::unique_ptr<Stream>> streams_;
  Stream own_;
  std::unique_ptr<ThreadPool> pool_ = std::make_unique<ThreadPool>(1);
  KernelRuntime runtime_{*this};
};

Result<std::unique_ptr<KernelLibrary>> LaunchesProcessor::load(std::span<std::byte const> library) {
  TRY_ASSIGN(std::vector<LibraryPart> parts, split_parts(library));
  TRY_ASSIGN(std::span<std::byte const> host, find_part(parts, kHostPart));
  TRY_ASSIGN(std::span<std::byte const> image, find_part(parts, kDevicePart));
  TRY_ASSIGN(LoadedModule host_module, LoadedModule::load(host));
  TRY_ASSIGN(LoadedModule image_module, LoadedModule::load(image));
  return std::make_unique<LaunchesLibrary>(std::move(host_module), std::move(image_module));
}

/// The arguments as the device's functions take them. Errors: bad_launch.
Result<std::vector<std::byte>> LaunchesProcessor::packed(TwLaunch const& how) {
  std::vector<std::byte> packed;
  for (uint32_t i = 0; i < how.argument_count; ++i) {
    TwArgument const& one = how.arguments[i];
    auto const* from = static_cast<std::byte const*>(how.packed) + one.offset;
    packed.resize(std::max(packed.size(), size_t(one.offset) + one.bytes));
    std::memcpy(packed.data() + one.offset, from, one.bytes);
    if (one.kind != kTwBuffer) continue;
    uintptr_t place = 0;
    if (one.bytes != sizeof place)
      return bad_launch("argument " + std::to_string(i) + " has not the size of a buffer");
    std::memcpy(&place, from, sizeof place);
    if (place == 0) continue;
    auto found = memory_.find(place);
    if (!found)
      return bad_launch("argument " + std::to_string(i) + " is no place in the device's memory");
    std::memcpy(packed.data() + one.offset, &found->address, sizeof found->address);
  }
  return packed;
}

Status LaunchesProcessor::launch(TwFunction function, TwLaunch const& how, TwStream stream) {
  constexpr uint64_t kMostThreads = 1024;
  Started started{reinterpret_cast<DeviceFunction>(function), {}, {}, how.shared_bytes};
  uint64_t blocks = 1, threads = 1;
  for (size_t i = 0; i < 3; ++i) {
    blocks *= started.extents.grid[i] = how.grid[i];
    threads *= started.extents.block[i] = how.block[i];
  }
  if (blocks == 0 || threads == 0 || threads > kMostThreads)
    return bad_launch("it takes one block and more, of 1 to " + std::to_string(kMostThreads) +
                      " threads");
  TRY_ASSIGN(started.packed, packed(how));
  of(stream).give([this, started = std::move(started)] {
    int32_t none = 0;
    if (int32_t code = started.run(); code != 0) code_.compare_exchange_strong(none, code);
  });
  return {};
}

}  // namespace

DeviceRuntimeEntry const& device_runtime_launches() {
  static DeviceRuntimeEntry const entry{
      .name = kName,
      .detect = []() -> Result<Hardware> {
        // Its libraries are made where it is.
        if (std::system("command -v cc >/dev/null 2>&1") != 0)
          return environment_failed("no_such_hardware", "there is no C compiler 'cc' on the path");
        return hardware();
      },
      .create = [](Hardware const&, int64_t most_bytes) -> Result<std::unique_ptr<DeviceRuntime>> {
        return std::make_unique<LaunchesProcessor>(most_bytes);
      },
  };
  return entry;
}

}  // namespace tw
