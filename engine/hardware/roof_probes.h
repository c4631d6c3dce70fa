/// Kernels that reach a roof and do nothing else: what a target builds and `measure_roofs` runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tw {

/// A kernel with two buffers: `RoofParameters`, followed by 64 bytes of scratch per task, and the
/// data. Each of `tasks` parallel tasks works on its own `bytes` of data, `iterations` times.
struct RoofProbe {
  std::string symbol;
  /// Of a compute probe: floating-point operations of one iteration of one task. A bandwidth probe
  /// moves `bytes` in an iteration and has 0 here.
  double flops_per_iteration = 0;
};

struct RoofParameters {
  int64_t tasks = 1;
  int64_t iterations = 1;
  int64_t bytes = 0;  ///< a multiple of RoofProbes::step_bytes
  int64_t padding[5] = {};
};
static_assert(sizeof(RoofParameters) == 64);

/// Which `ComputeRoof` a probe reaches.
struct ComputeProbe {
  std::string name, unit, type;
  RoofProbe probe;
};

struct RoofProbes {
  std::vector<std::byte> library;
  std::vector<ComputeProbe> compute;  ///< not empty; of those for one type, the fastest first
  RoofProbe load;                     ///< reads everything
  RoofProbe triad;                    ///< a = b * s + c over three equal parts
  int64_t step_bytes = 0;
};

}  // namespace tw
