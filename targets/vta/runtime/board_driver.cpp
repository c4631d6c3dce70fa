#include "targets/vta/runtime/board_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <utility>

#include "targets/vta/runtime/places.h"
#include "targets/vta/runtime/start_and_wait.h"

namespace tw::vta {
namespace {

class BoardDriver final : public Driver {
public:
  BoardDriver(Configuration const& configuration, BoardLayout const& layout,
              std::unique_ptr<Registers> registers, std::unique_ptr<ContiguousMemory> memory)
      : configuration_(configuration),
        layout_(layout),
        registers_(std::move(registers)),
        memory_(std::move(memory)) {
    for (ContiguousRegion const& region : memory_->regions()) {
      // Address 0 stands for nothing, and elements lie at multiples of their size.
      constexpr auto kPage = uint64_t(kDriverPage);
      uint64_t begin = std::max((region.physical + kPage - 1) / kPage, uint64_t(1)) * kPage;
      pools_.push_back(
          {region, Places(begin, std::max(begin, region.physical + region.host.size()))});
    }
  }

  Configuration const& configuration() const override { return configuration_; }

  Result<uint64_t> allocate(int64_t bytes) override {
    for (Pool& pool : pools_) {
      auto place = pool.places.take(bytes);
      if (!place) continue;
      std::span<std::byte> host = at(*place + layout_.bus_offset, size_t(bytes));
      std::memset(host.data(), 0, host.size());
      memory_->flush(host, *place);
      return *place + layout_.bus_offset;
    }
    return refused("tensor_too_large",
                   fmt::format("the board has no {} bytes of contiguous memory left", bytes));
  }
  void release(uint64_t address) override {
    for (Pool& pool : pools_)
      if (pool.places.give_back(address - layout_.bus_offset)) return;
  }

  Status write(uint64_t address, std::span<std::byte const> from) override {
    std::span<std::byte> host = at(address, from.size());
    std::ranges::copy(from, host.begin());
    memory_->flush(host, address - layout_.bus_offset);
    // Read back, not as it may still be in a cache: memory that is not what it seems shows here.
    memory_->invalidate(host, address - layout_.bus_offset);
    auto [wrong, right] = std::ranges::mismatch(host, from);
    if (wrong == host.end()) return {};
    return environment_failed(
        "corrupted_upload",
        fmt::format("byte {} of {} at address {:#x} reads {} where {} was written: the board's "
                    "contiguous memory does not hold what is put there",
                    wrong - host.begin(), from.size(), address, int(*wrong), int(*right)));
  }
  Status read(std::span<std::byte> to, uint64_t address) override {
    std::span<std::byte> host = at(address, to.size());
    memory_->invalidate(host, address - layout_.bus_offset);
    std::ranges::copy(host, to.begin());
    return {};
  }

  Status run(uint64_t stream, int64_t count, std::chrono::milliseconds limit) override {
    if (hung_)
      return environment_failed("accelerator_busy",
                                "the accelerator did not finish an earlier run: its bitstream must "
                                "be loaded again");
    if (stream + uint64_t(count) * 32 > uint64_t(1) << 32 || count > int64_t(1) << 31)
      return bad_input("stream_too_long", "the accelerator's registers hold addresses of 32 bits");
    // What was written to memory before is there before the start.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    Status done = start_and_wait(*registers_, layout_, {uint32_t(stream), uint32_t(count), limit});
    std::atomic_thread_fence(std::memory_order_seq_cst);
    hung_ = !done && done.error().code == "accelerator_timed_out";
    return done;
  }

private:
  struct Pool {
    ContiguousRegion region;
    Places places;
  };

  std::span<std::byte> at(uint64_t address, size_t bytes) {
    uint64_t physical = address - layout_.bus_offset;
    for (Pool const& pool : pools_) {
      uint64_t inside = physical - pool.region.physical;
      if (physical >= pool.region.physical && inside < pool.region.host.size())
        return pool.region.host.subspan(inside, bytes);
    }
    TW_ASSERT(false, "whoever asks holds what `allocate` gave");
    return {};
  }

  Configuration configuration_;
  BoardLayout layout_;
  std::unique_ptr<Registers> registers_;
  std::unique_ptr<ContiguousMemory> memory_;
  std::vector<Pool> pools_;
  bool hung_ = false;
};

Result<std::unique_ptr<ContiguousMemory>> open_memory(int64_t most_bytes) {
  std::string why;
  for (char const* facts : {"/sys/class/u-dma-buf/udmabuf0", "/sys/class/udmabuf/udmabuf0"}) {
    auto memory = open_udmabuf("/dev/udmabuf0", facts);
    if (memory) return memory;
    if (why.empty()) why = memory.error().message;
  }
  for (char const* library : {"libcma.so", "libxlnk_cma.so"})
    if (auto functions = load_cma(library)) return open_cma(*functions, most_bytes);
  return environment_failed("no_such_hardware", why + ", and the vendor's library is not there");
}

}  // namespace

std::unique_ptr<Driver> create_board_driver(Configuration const& configuration,
                                            BoardLayout const& layout,
                                            std::unique_ptr<Registers> registers,
                                            std::unique_ptr<ContiguousMemory> memory) {
  return std::make_unique<BoardDriver>(configuration, layout, std::move(registers),
                                       std::move(memory));
}

Result<std::unique_ptr<Driver>> open_board(Configuration const& configuration, int64_t most_bytes) {
  TRY_ASSIGN(BoardLayout layout, layout_of(configuration.name));
  TRY_ASSIGN(std::unique_ptr<ContiguousMemory> memory, open_memory(most_bytes));
  TRY_ASSIGN(std::unique_ptr<Registers> registers, map_registers(layout, "/dev/mem"));
  return create_board_driver(configuration, layout, std::move(registers), std::move(memory));
}

}  // namespace tw::vta
