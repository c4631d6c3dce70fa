/// One accelerator and the memory that it reaches: simulated, or a board's. Source: Moreau et al.
/// 2018, §3: what the runtime asks of a driver.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "targets/vta/hardware/configuration.h"

namespace tw::vta {

/// Addresses are physical, as the accelerator sees them.
class Driver {
public:
  virtual ~Driver() = default;
  virtual Configuration const& configuration() const = 0;

  /// In one piece, zero, from a multiple of a page on; never at address 0. Errors:
  /// tensor_too_large.
  virtual Result<uint64_t> allocate(int64_t bytes) = 0;
  virtual void release(uint64_t address) = 0;

  /// What was written is there for the next run, what a run wrote can be read. `address` is inside
  /// of what `allocate` gave, and so are the bytes behind it. Errors: corrupted_upload.
  virtual Status write(uint64_t address, std::span<std::byte const> from) = 0;
  virtual Status read(std::span<std::byte> to, uint64_t address) = 0;

  /// Runs `count` instructions that lie at `stream`, until FINISH is done. What the accelerator's
  /// own memories hold stays between runs. Errors: accelerator_timed_out, accelerator_busy; of a
  /// simulator those of the stream.
  virtual Status run(uint64_t stream, int64_t count, std::chrono::milliseconds limit) = 0;

  /// What the runs since the last question took, where there is another clock than the wall's.
  virtual std::optional<double> own_seconds() { return std::nullopt; }
};

inline constexpr int64_t kDriverPage = 4096;  ///< no element is larger

}  // namespace tw::vta
