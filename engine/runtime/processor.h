/// What runs kernels inside a device's process: memory, libraries, calls. One per kind of target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "engine/hardware/machine_needs.h"
#include "engine/support/base/error.h"

namespace tw {

/// A loaded library of kernels; goes away with the value.
class KernelLibrary {
public:
  virtual ~KernelLibrary() = default;
  /// A handle for `Processor::call`. Errors: symbol_not_found.
  virtual Result<void*> find(std::string const& symbol) = 0;
};

class Processor {
public:
  virtual ~Processor() = default;

  /// Whether code that needs such a machine runs here. Errors: wrong_processor with what is missing.
  virtual Status can_run(MachineNeeds const& needs) const = 0;

  /// Memory that starts at a multiple of 64 and is zero. Errors: tensor_too_large.
  virtual Result<void*> allocate(int64_t bytes) = 0;
  virtual void release(void* memory) = 0;
  virtual void write(void* to, std::span<std::byte const> from) = 0;
  virtual void read(std::span<std::byte> to, void const* from) = 0;

  virtual Result<std::unique_ptr<KernelLibrary>> load(std::span<std::byte const> library) = 0;

  /// Makes ready for calls with `threads` threads (at least 1); cheap when unchanged.
  virtual void use_threads(int threads) = 0;
  /// The core that whoever calls should stay on meanwhile; -1: any.
  virtual int caller_core() const { return -1; }
  /// Runs a kernel with the buffers its ABI asks for; its return code.
  virtual int32_t call(void* kernel, void* const* buffers) = 0;
};

}  // namespace tw
