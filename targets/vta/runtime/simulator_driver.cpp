#include "targets/vta/runtime/simulator_driver.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "targets/vta/runtime/places.h"
#include "targets/vta/simulator/machine.h"
#include "targets/vta/simulator/timing.h"

namespace tw::vta {
namespace {

using Clock = std::chrono::steady_clock;

/// Pages that come zeroed, one by one as they are touched.
class Pages {
public:
  static Result<Pages> map(size_t bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      return environment_failed(
          "tensor_too_large",
          fmt::format("this machine has no {} bytes for a simulated DRAM", bytes));
    return Pages({static_cast<std::byte*>(memory), bytes});
  }
  Pages(Pages&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  Pages& operator=(Pages&&) = delete;
  ~Pages() {
    if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
  }
  std::span<std::byte> bytes() const { return bytes_; }

private:
  explicit Pages(std::span<std::byte> bytes) : bytes_(bytes) {}
  std::span<std::byte> bytes_;
};

class SimulatorDriver final : public Driver {
public:
  SimulatorDriver(Configuration const& configuration, Pages pages, SimulatedClock clock)
      : machine_(configuration),
        pages_(std::move(pages)),
        places_(kDriverPage, pages_.bytes().size()),
        clock_(clock) {}

  Configuration const& configuration() const override { return machine_.configuration(); }

  Result<uint64_t> allocate(int64_t bytes) override {
    auto place = places_.take(bytes);
    if (!place)
      return refused("tensor_too_large",
                     fmt::format("the device has no {} bytes in one piece left", bytes));
    std::ranges::fill(pages_.bytes().subspan(*place, size_t(bytes)), std::byte{});
    return *place;
  }
  void release(uint64_t address) override { places_.give_back(address); }

  Status write(uint64_t address, std::span<std::byte const> from) override {
    std::ranges::copy(from, pages_.bytes().begin() + std::ptrdiff_t(address));
    return {};
  }
  Status read(std::span<std::byte> to, uint64_t address) override {
    std::ranges::copy(pages_.bytes().subspan(address, to.size()), to.begin());
    return {};
  }

  Status run(uint64_t stream, int64_t count, std::chrono::milliseconds limit) override {
    auto bytes = size_t(count) * size_t(configuration().instruction_bytes());
    TRY_ASSIGN(Stream instructions, decode(configuration(), pages_.bytes().subspan(stream, bytes)));
    auto deadline = Clock::now() + limit;
    for (size_t i = 0; i < instructions.size(); ++i) {
      auto done = machine_.execute(instructions[i], pages_.bytes());
      if (!done)
        return std::unexpected(
            at_instruction(configuration(), instructions[i], int64_t(i), done.error()));
      if (Clock::now() >= deadline)
        return environment_failed(
            "accelerator_timed_out",
            fmt::format("the simulated accelerator did not finish within {} ms: it came to "
                        "instruction {} of {}",
                        limit.count(), i, count));
    }
    return clock_ == SimulatedClock::kNone ? Status() : take_time(instructions);
  }

  std::optional<double> own_seconds() override {
    if (clock_ == SimulatedClock::kNone) return std::nullopt;
    return std::exchange(seconds_, 0.0);
  }

private:
  Status take_time(Stream const& stream) {
    TRY_ASSIGN(TimedRun timed, run_timed(configuration(), stream, pages_.bytes(),
                                         {.constants = {}, .execute = false}));
    seconds_ += timed.milliseconds * 1e-3;
    return {};
  }

  Machine machine_;
  Pages pages_;
  Places places_;
  SimulatedClock clock_;
  double seconds_ = 0;
};

}  // namespace

Result<std::unique_ptr<Driver>> create_simulator(Configuration const& configuration,
                                                 int64_t most_bytes, SimulatedClock clock) {
  TRY(validate(configuration));
  // Addresses of the boards that are simulated have 32 bits; a small machine has fewer to give.
  constexpr int64_t kMost = sizeof(void*) == 4 ? int64_t(1) << 30 : (int64_t(1) << 32) - 4096;
  int64_t bytes = std::clamp(most_bytes, int64_t(1) << 20, kMost) / kDriverPage * kDriverPage;
  TRY_ASSIGN(Pages pages, Pages::map(size_t(bytes)));
  return std::make_unique<SimulatorDriver>(configuration, std::move(pages), clock);
}

}  // namespace tw::vta
