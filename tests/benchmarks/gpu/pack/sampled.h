/// Some elements of a kernel's output in double precision, computed alone: what else they need is
/// computed once, the rest of the tensors never.
#pragma once

#include <vector>

#include "engine/te/te.h"

namespace tw::gpu_bench {

struct Samples {
  std::vector<int64_t> index;  ///< of elements of the first output
  std::vector<double> value;
};

/// `count` elements at places of that seed, the first and the last one among them. Input i is of
/// `seeded_value(i + 1, ...)`. Errors: unsupported_node, of what a plain kernel of floats has not.
Result<Samples> sampled_reference(te::Kernel const& kernel, int count, uint64_t seed);

}  // namespace tw::gpu_bench
