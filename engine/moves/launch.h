/// What moves for machines of blocks and threads have in common.
#pragma once

#include <string>
#include <vector>

#include "engine/moves/idea.h"

namespace tw::moves {

/// Whether loops can be bound to blocks and to the threads of a block.
bool has_blocks(Target const& target);

/// The outer loops whose iterations make different elements, outermost first, as far as nothing
/// else stands in them and nothing is marked; empty where a loop of the nest is bound.
std::vector<NestLoop> loops_to_bind(BlockNest const& nest);

void bind(Draft& draft, ir::LoopId loop, std::string const& axis);

/// A block's sums are in registers of its threads; returns the block that writes them to where they
/// were, empty where the block sums up nothing.
std::string sum_in_registers(Draft& draft, BlockNest const& nest);

/// Loops that stand inside of each other as one; the draft is not possible where that is refused.
ir::LoopId fuse(Draft& draft, std::vector<ir::LoopId> const& loops);

}  // namespace tw::moves
