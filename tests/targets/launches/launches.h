/// A target whose kernels start functions on a device: the host's part and the device's image are
/// libraries of C, and the device is this processor, with memory, streams and events of its own. No
/// product needs one; it is a row of the tests' table of targets, and has what a GPU will ask of
/// the runtime.
#pragma once

#include "engine/hardware/hardware.h"

namespace tw::launches {

inline constexpr char kName[] = "launches";
/// The parts of a library.
inline constexpr char kHostPart[] = "host", kDevicePart[] = "image";

inline Hardware hardware() {
  return {.target = kName,
          .name = "machine that is started",
          .units = {{.name = "multiprocessor"}},
          .memories = {{.name = "memory", .bytes = 64 << 20, .cache = false}}};
}

/// Where a thread of a device function is; the text for C is in compile.cpp.
struct LaunchPoint {
  uint32_t grid[3], block[3];          ///< extents, as they were launched
  uint32_t block_index[3], thread[3];  ///< which of them this is
  void* shared = nullptr;              ///< of the block
};

/// A device function: its arguments, packed as they were launched, with places turned into
/// addresses. Returns 0, or a code that the host is told.
using DeviceFunction = int32_t (*)(void const* packed, LaunchPoint const* at);

}  // namespace tw::launches
