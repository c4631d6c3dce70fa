/// Prefetches follow other steps or disappear.
#pragma once

#include "engine/ir/program.h"

namespace tw {

/// The program without the prefetches that have lost their sense: of a tensor that is not there,
/// or is made in the same nest, or that no block of the same loop reads; and of what is no element
/// any more (its tensor was inlined).
ir::Program without_dead_prefetches(ir::Program program);

}  // namespace tw
