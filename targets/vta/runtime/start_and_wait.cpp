#include "targets/vta/runtime/start_and_wait.h"

#include <fmt/format.h>

#include <thread>

namespace tw::vta {
namespace {

using Clock = std::chrono::steady_clock;

// Of each of the four modules; what a bit of the control register means is the tool's convention.
constexpr uint64_t kControl = 0x00;
constexpr uint32_t kStart = 0x1, kDone = 0x2, kIdle = 0x4, kAutoRestart = 0x80;
constexpr uint64_t kFetchCount = 0x10, kFetchAddress = 0x18;
constexpr uint64_t kLoadInputs = 0x10, kLoadWeights = 0x18;
constexpr uint64_t kComputeDone = 0x18, kComputeUops = 0x20, kComputeBias = 0x28;
constexpr uint64_t kStoreOut = 0x10;
// Of the one block.
constexpr uint64_t kLaunch = 0x00, kBlockCount = 0x08, kBlockAddress = 0x0C;
constexpr uint32_t kLaunched = 0x1, kFinished = 0x2;

/// Asks until `wanted` or the time is over.
template <typename Wanted>
bool poll(Clock::time_point deadline, Wanted wanted) {
  for (int i = 0; !wanted(); ++i) {
    if (Clock::now() >= deadline) return false;
    if (i > 100) std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  return true;
}

std::unexpected<Error> timed_out(RunRequest const& request, std::string_view where) {
  return environment_failed("accelerator_timed_out",
                            fmt::format("the accelerator did not finish {} instructions within "
                                        "{} ms: {}",
                                        request.count, request.limit.count(), where));
}

class FourModules {
public:
  FourModules(Registers& registers, BoardLayout const& layout)
      : registers_(registers), blocks_(layout.blocks) {}

  Status run(RunRequest const& request) {
    // Reads of it also put out the done flag of the fetch module.
    if ((registers_.read32(fetch() + kControl) & (kStart | kIdle)) == kStart)
      return environment_failed("accelerator_busy",
                                "the accelerator still fetches instructions of an earlier run");
    prepare(request);
    auto deadline = Clock::now() + request.limit;
    uint32_t control = 0;
    bool fetched = poll(deadline, [&] {
      control = registers_.read32(fetch() + kControl);
      return (control & kDone) != 0;
    });
    bool done = fetched && poll(deadline, [&] {
                  return (registers_.read32(compute() + kComputeDone) & 1) != 0;
                });
    for (size_t module = 1; module < 4; ++module) registers_.write32(blocks_[module] + kControl, 0);
    if (done) return {};
    if (fetched)
      return timed_out(request,
                       "all were fetched, and one of them waits for a token or for memory");
    return timed_out(request, fmt::format("they were not all fetched from {:#x}: the memory there "
                                          "does not answer, or a module hangs",
                                          request.stream));
  }

private:
  uint64_t fetch() const { return blocks_[0]; }
  uint64_t compute() const { return blocks_[2]; }

  /// Bases are 0: instructions hold whole addresses. Fetch starts last.
  void prepare(RunRequest const& request) {
    registers_.write32(fetch() + kFetchCount, request.count);
    registers_.write32(fetch() + kFetchAddress, request.stream);
    for (uint64_t base : {kLoadInputs, kLoadWeights}) registers_.write32(blocks_[1] + base, 0);
    for (uint64_t base : {kComputeUops, kComputeBias}) registers_.write32(compute() + base, 0);
    registers_.write32(blocks_[3] + kStoreOut, 0);
    for (size_t module = 1; module < 4; ++module)
      registers_.write32(blocks_[module] + kControl, kStart | kAutoRestart);
    registers_.write32(fetch() + kControl, kStart);
  }

  Registers& registers_;
  std::array<uint64_t, 4> blocks_;
};

Status run_one_block(Registers& registers, uint64_t block, RunRequest const& request) {
  constexpr uint64_t kPointers[] = {0x10, 0x14, 0x18, 0x1C, 0x20};
  registers.write32(block + kLaunch, 0);  // puts out the finish bit of the run before
  registers.write32(block + kBlockCount, request.count);
  registers.write32(block + kBlockAddress, request.stream);
  for (uint64_t pointer : kPointers) registers.write32(block + pointer, 0);
  registers.write32(block + kLaunch, kLaunched);
  auto deadline = Clock::now() + request.limit;
  bool done = poll(deadline, [&] { return (registers.read32(block + kLaunch) & kFinished) != 0; });
  registers.write32(block + kLaunch, 0);
  return done ? Status() : timed_out(request, "it hangs");
}

}  // namespace

Status start_and_wait(Registers& registers, BoardLayout const& layout, RunRequest const& request) {
  if (layout.file == RegisterFile::kOneBlock)
    return run_one_block(registers, layout.blocks[0], request);
  return FourModules(registers, layout).run(request);
}

}  // namespace tw::vta
