/// What the device can do at its best, and whether shared memory takes the passes that the model
/// counts.
#pragma once

#include "tests/benchmarks/gpu/runner/device.h"
#include "tests/benchmarks/gpu/runner/timing.h"

namespace tw::gpu_bench {

/// Bytes a second of reading and copying, by size, and multiply-adds. `most_bytes`: of a tensor.
Result<Json> measure_roofs(Device const& device, Pack const& pack, TimingOptions const& options,
                           size_t most_bytes);

/// For each pattern of the pack the cycles of one access of a warp, beside the passes that the
/// model says.
Result<Json> measure_patterns(Device const& device, Pack const& pack);

}  // namespace tw::gpu_bench
