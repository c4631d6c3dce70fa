/// How scripts name loops: `block.loop`, or the loop's own name where it is unique.
#pragma once

#include <string>
#include <vector>

#include "engine/ir/program.h"

namespace tw {

/// Errors: unknown_loop (with the loops there are), ambiguous_loop (with full names).
Result<ir::LoopSite> find_loop(ir::Program const& program, std::string const& reference);
/// `block.loop` of the first block under the loop.
std::string reference_of(ir::Program const& program, ir::LoopId loop);
/// `wanted`, or with the least number appended that no loop around or below `near` has.
std::string free_name(ir::Program const& program, ir::LoopSite const& near,
                      std::string const& wanted);
/// The loop with this id; it must exist.
ir::LoopSite site_of(ir::Program const& program, ir::LoopId loop);
/// Blocks below a loop.
std::vector<ir::BlockSite> blocks_under(ir::LoopSite const& loop);

}  // namespace tw
