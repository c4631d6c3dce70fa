/// Runs kernels on this machine's processor: in this process, on a pool of pinned threads.
#pragma once

#include <memory>

#include "engine/runtime/device_runtime.h"

namespace tw {

/// Where the thread that uses the processor runs while there are several.
enum class Caller : uint8_t {
  kPinned,  ///< on the first core, until it works alone again
  kFloats,  ///< its own business
};

/// `most_bytes`: what all tensors together may take.
std::unique_ptr<DeviceRuntime> create_cpu_processor(int64_t most_bytes,
                                                    Caller caller = Caller::kPinned);

}  // namespace tw
