#include "targets/cpu/runtime/cpu_processor.h"

#include <sched.h>
#include <sys/mman.h>

#include <cstring>
#include <map>
#include <vector>

#include "engine/runtime/abi.h"
#include "engine/runtime/module.h"
#include "engine/runtime/thread_pool.h"
#include "targets/cpu/hardware/can_run.h"

namespace tw {
namespace {

class CpuLibrary final : public KernelLibrary {
public:
  explicit CpuLibrary(LoadedModule loaded) : module_(std::move(loaded)) {}
  Result<void*> find(std::string const& symbol) override { return module_.symbol(symbol); }

private:
  LoadedModule module_;
};

/// Keeps the calling thread on the first core while its pool's threads are on the others, and
/// lets it float again when it works alone.
class CallerAffinity {
public:
  CallerAffinity() {
    CPU_ZERO(&all_);
    known_ = sched_getaffinity(0, sizeof all_, &all_) == 0;
  }
  void pin(int core) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(size_t(core), &one);
    if (known_) sched_setaffinity(0, sizeof one, &one);
  }
  void release() {
    if (known_) sched_setaffinity(0, sizeof all_, &all_);
  }

private:
  cpu_set_t all_;
  bool known_ = false;
};

class CpuProcessor final : public DeviceRuntime {
public:
  CpuProcessor(int64_t most_bytes, Caller caller) : most_bytes_(most_bytes), caller_(caller) {}
  ~CpuProcessor() override {
    while (!sizes_.empty()) release(sizes_.begin()->first);
  }

  Status can_run(MachineNeeds const& needs) const override { return cpu_can_run(needs); }
  Result<void*> allocate(int64_t bytes) override;
  void release(void* memory) override;
  void write(MemoryPlace to, std::span<std::byte const> from) override {
    std::memcpy(host_address(to), from.data(), from.size());
  }
  void read(std::span<std::byte> to, MemoryPlace from) override {
    std::memcpy(to.data(), host_address(from), to.size());
  }
  void copy(MemoryPlace to, MemoryPlace from, int64_t bytes) override {
    std::memmove(host_address(to), host_address(from), size_t(bytes));
  }
  void* host_address(MemoryPlace place) const override {
    return place.memory ? static_cast<std::byte*>(place.memory) + place.offset : nullptr;
  }

  Result<std::unique_ptr<KernelLibrary>> load(std::span<std::byte const> library) override {
    TRY_ASSIGN(LoadedModule loaded, LoadedModule::load(library));
    return std::make_unique<CpuLibrary>(std::move(loaded));
  }

  void use_threads(int threads) override;
  int caller_core() const override { return pool_->caller_core(); }
  int32_t call(void* kernel, std::span<MemoryPlace const> buffers) override {
    pointers_.clear();
    for (MemoryPlace const& one : buffers) pointers_.push_back(host_address(one));
    return reinterpret_cast<TwKernel>(kernel)(pointers_.data(), pool_->runtime());
  }

private:
  int64_t most_bytes_;
  Caller caller_;
  int64_t used_bytes_ = 0;
  std::map<void*, int64_t> sizes_;
  std::vector<void*> pointers_;  ///< of the call that runs
  CallerAffinity affinity_;
  std::unique_ptr<ThreadPool> pool_ = std::make_unique<ThreadPool>(1);
};

Result<void*> CpuProcessor::allocate(int64_t bytes) {
  constexpr int64_t kHugePage = 2 << 20;
  if (bytes < 0 || bytes > most_bytes_ - used_bytes_) {
    return refused("tensor_too_large", "a tensor of " + std::to_string(bytes) +
                                           " bytes does not fit the " +
                                           std::to_string(most_bytes_ - used_bytes_) +
                                           " bytes that the device has left");
  }
  // Mapped, not taken from the heap: pages come zeroed and one by one as they are touched, so that
  // a claim costs nothing; a little more than asked, so that vectors may be read past the end.
  int64_t page = bytes >= kHugePage ? kHugePage : 4096;
  int64_t mapped = (bytes + 64 + page - 1) / page * page;
  void* memory =
      mmap(nullptr, size_t(mapped), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return environment_failed("tensor_too_large", "the device has no memory left for " +
                                                      std::to_string(bytes) + " bytes");
  }
  if (bytes >= kHugePage) madvise(memory, size_t(mapped), MADV_HUGEPAGE);
  used_bytes_ += mapped;
  sizes_[memory] = mapped;
  return memory;
}

void CpuProcessor::release(void* memory) {
  auto found = sizes_.find(memory);
  if (found == sizes_.end()) return;
  munmap(memory, size_t(found->second));
  used_bytes_ -= found->second;
  sizes_.erase(found);
}

void CpuProcessor::use_threads(int threads) {
  if (threads == pool_->threads()) return;
  if (caller_ == Caller::kPinned)
    affinity_.release();                    // threads inherit the mask of whoever makes them
  pool_ = std::make_unique<ThreadPool>(1);  // the old one's cores are free for the next
  pool_ = std::make_unique<ThreadPool>(threads);
  if (caller_ == Caller::kPinned && pool_->caller_core() >= 0) affinity_.pin(pool_->caller_core());
}

}  // namespace

std::unique_ptr<DeviceRuntime> create_cpu_processor(int64_t most_bytes, Caller caller) {
  return std::make_unique<CpuProcessor>(most_bytes, caller);
}

}  // namespace tw
