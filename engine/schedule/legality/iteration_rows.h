/// Loops and instances of blocks as variables of an integer system.
#pragma once

#include <string>

#include "engine/arith/linear_rows.h"
#include "engine/ir/program.h"
#include "engine/schedule/refusal.h"

namespace tw {

/// A new variable for a loop's values.
int variable_for(ir::For const& loop, IntegerSystem& system);
/// All loops around a block, or all its iterators, as new variables.
LinearRows free_loops(ir::BlockSite const& site, IntegerSystem& system);
LinearRows free_iters(ir::Block const& block, IntegerSystem& system);
/// The instances of a block that its loops run: iterators are the bindings' values. False where
/// that cannot be said by linear rows.
bool add_run(ir::BlockSite const& site, LinearRows loops, LinearRows const& iters,
             IntegerSystem& system);
/// The iteration of a block's loops in a solution.
Iteration iteration_at(ir::BlockSite const& site, LinearRows const& loops,
                       std::vector<int64_t> const& solution);
std::string to_text(Iteration const& iteration);

}  // namespace tw
