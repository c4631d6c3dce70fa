/// Prefetches stand in blocks of their own; they follow other steps or disappear.
#pragma once

#include "engine/ir/program.h"

namespace tw {

/// A block that is a hint only: a prefetch.
bool is_hint(ir::Block const& block);

/// The blocks below a loop that compute something.
std::vector<ir::BlockSite> working_blocks(ir::LoopSite const& loop);

}  // namespace tw
