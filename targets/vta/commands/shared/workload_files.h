/// What designs are compared on, from files and names as a person gives them.
#pragma once

#include "targets/vta/explore/explore.h"

namespace tw::vta {

/// `sources`: tensor expressions, of which the first kernel is a layer, and models, of which every
/// convolution of bytes is one. Errors: those of opening them; nothing_to_explore (a model has no
/// such convolution).
WorkloadMaker workload_of(std::vector<std::string> sources);

}  // namespace tw::vta
