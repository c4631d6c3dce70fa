#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>

#include "targets/vta/runtime/contiguous_memory.h"

namespace tw::vta {
namespace {

constexpr int64_t kMostAtOnce = int64_t(32) << 20, kLeastAtOnce = int64_t(1) << 20;

class CmaMemory final : public ContiguousMemory {
public:
  explicit CmaMemory(CmaFunctions const& functions) : functions_(functions) {}
  ~CmaMemory() override {
    for (ContiguousRegion const& region : regions_) functions_.release(region.host.data());
  }
  std::span<ContiguousRegion const> regions() const override { return regions_; }

  bool take(int64_t bytes) {
    void* memory = functions_.allocate(uint32_t(bytes), 0);
    if (memory == nullptr) return false;
    regions_.push_back(
        {{static_cast<std::byte*>(memory), size_t(bytes)}, functions_.physical_address(memory)});
    return true;
  }

private:
  CmaFunctions functions_;
  std::vector<ContiguousRegion> regions_;
};

template <typename Function>
bool find(void* library, char const* name, Function& into) {
  into = reinterpret_cast<Function>(dlsym(library, name));
  return into != nullptr;
}

}  // namespace

Result<CmaFunctions> load_cma(char const* library) {
  // Stays loaded: what it gave out is used until the process ends.
  void* loaded = dlopen(library, RTLD_NOW);
  if (loaded == nullptr)
    return environment_failed("no_such_hardware", fmt::format("{} cannot be loaded", library));
  CmaFunctions functions;
  if (find(loaded, "cma_alloc", functions.allocate) &&
      find(loaded, "cma_free", functions.release) &&
      find(loaded, "cma_get_phy_addr", functions.physical_address))
    return functions;
  return environment_failed("no_such_hardware",
                            fmt::format("{} is not the library of contiguous memory", library));
}

Result<std::unique_ptr<ContiguousMemory>> open_cma(CmaFunctions const& functions,
                                                   int64_t most_bytes) {
  auto memory = std::make_unique<CmaMemory>(functions);
  int64_t size = kMostAtOnce;
  for (int64_t left = most_bytes; size >= kLeastAtOnce;) {
    size = std::min(size, left / 4096 * 4096);
    if (size < kLeastAtOnce) break;
    if (memory->take(size))
      left -= size;
    else
      size /= 2;
  }
  if (!memory->regions().empty()) return memory;
  return environment_failed("no_such_hardware", "the system gives no contiguous memory");
}

}  // namespace tw::vta
