/// Tensors of which a loop keeps rows for its next iteration: what may be computed of them.
#pragma once

#include <string>

#include "engine/arith/proof_budget.h"
#include "engine/ir/program.h"

namespace tw {

/// A loop computes new rows of the tensor, in place of those that nobody needs any more, and a nest
/// before it the first ones, in the same way: each row has one value, whichever of them makes it.
bool keeps_its_rows(ir::Program const& program, std::string const& tensor,
                    ir::LoopSite const& loop);

/// A recurrence inside of each row: no row is computed from another one. `dimension` of its tensor
/// counts them.
bool goes_on_in_its_row(ir::BlockSite const& block, size_t dimension);

/// All elements of a tensor that one block reads another one writes in the same iteration of the
/// loops around both; false: not proved.
bool reads_what_is_written(ir::BlockSite const& reader, ir::BlockSite const& writer,
                           ProofBudget budget);

}  // namespace tw
