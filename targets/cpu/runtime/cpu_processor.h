/// Runs kernels on this machine's processor: in this process, on a pool of pinned threads.
#pragma once

#include <memory>

#include "engine/runtime/processor.h"

namespace tw {

/// `most_bytes`: what all tensors together may take.
std::unique_ptr<Processor> create_cpu_processor(int64_t most_bytes);

}  // namespace tw
