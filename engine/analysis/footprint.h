/// How much memory a loop's body works on.
#pragma once

#include "engine/ir/program.h"

namespace tw::analysis {

/// Bytes of the elements that one iteration of loop `depth` around a block touches: for each tensor
/// the box that its accesses span while the loops below run, at most the whole tensor. Exact for
/// the dense accesses of convolutions and products; an upper bound where a stride leaves holes.
int64_t footprint(ir::BlockSite const& site, size_t depth);

}  // namespace tw::analysis
