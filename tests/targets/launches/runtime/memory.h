/// The memory of the simulated device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "engine/support/base/error.h"

namespace tw::launches {

/// Its places are numbers from far away, so that a host that takes one for an address crashes.
class Memory {
public:
  explicit Memory(int64_t most_bytes) : most_bytes_(most_bytes) {}

  /// Errors: tensor_too_large.
  Result<uintptr_t> allocate(int64_t bytes);
  void release(uintptr_t place);
  /// What the device itself has there, and how many bytes from there on; nothing: it is no place.
  struct Found {
    std::byte* address = nullptr;
    int64_t bytes = 0;
  };
  std::optional<Found> find(uintptr_t place);

private:
  int64_t most_bytes_, used_bytes_ = 0;
  uintptr_t next_ = uintptr_t(1) << (sizeof(uintptr_t) * 8 - 2);
  std::map<uintptr_t, std::vector<std::byte>> tensors_;  ///< each with what fills a line before it
};

}  // namespace tw::launches
