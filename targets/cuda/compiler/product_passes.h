/// Passes for products that warpgroups start: when they are waited for, and what is fenced before.
#pragma once

#include <vector>

#include "engine/lowering/pipeline.h"

namespace tw::cuda {

/// Puts them where they belong among the passes of all GPUs.
void add_product_passes(std::vector<Pass>& passes);

}  // namespace tw::cuda
