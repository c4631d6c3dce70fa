/// Memory in one piece that a board's accelerator can reach, from whatever gives it out there.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/support/base/error.h"

namespace tw::vta {

/// Bytes of this process and where the memory bus has them.
struct ContiguousRegion {
  std::span<std::byte> host;
  uint64_t physical = 0;
};

/// All regions are there from the start: a process that was confined since can open nothing.
class ContiguousMemory {
public:
  virtual ~ContiguousMemory() = default;
  virtual std::span<ContiguousRegion const> regions() const = 0;
  /// Before the accelerator reads, and before the host reads what it wrote. Nothing to do where the
  /// mapping is not cached or the accelerator's port is coherent.
  virtual void flush(std::span<std::byte const>, uint64_t) {}
  virtual void invalidate(std::span<std::byte const>, uint64_t) {}
};

/// The buffer of the u-dma-buf driver: `device` is "/dev/udmabuf0", `facts` the folder that says
/// "phys_addr" and "size" of it. Not cached. Errors: no_such_hardware.
Result<std::unique_ptr<ContiguousMemory>> open_udmabuf(std::filesystem::path const& device,
                                                       std::filesystem::path const& facts);

/// The C functions of the vendor's library of contiguous memory.
struct CmaFunctions {
  void* (*allocate)(uint32_t bytes, uint32_t cached) = nullptr;
  void (*release)(void* memory) = nullptr;
  uint32_t (*physical_address)(void* memory) = nullptr;
};
/// Loads them from `library`, "libcma.so". Errors: no_such_hardware.
Result<CmaFunctions> load_cma(char const* library);
/// Takes up to `most_bytes`, in regions of at most 32 MiB, which is what the library gives at once.
/// Errors: no_such_hardware (it gives none).
Result<std::unique_ptr<ContiguousMemory>> open_cma(CmaFunctions const& functions,
                                                   int64_t most_bytes);

}  // namespace tw::vta
