/// Prefetches stand in blocks of their own; they follow other steps or disappear.
#pragma once

#include "engine/ir/program.h"

namespace tw {

/// A block that is a hint only: a prefetch.
bool is_hint(ir::Block const& block);

/// The blocks below a loop that compute something.
std::vector<ir::BlockSite> working_blocks(ir::LoopSite const& loop);

/// The program without the prefetches that have lost their sense: of a tensor that is not there,
/// or is made in the same nest, or that no block of the same loop reads; and of what is no element
/// any more (its tensor was inlined).
ir::Program without_idle_hints(ir::Program program);

}  // namespace tw
