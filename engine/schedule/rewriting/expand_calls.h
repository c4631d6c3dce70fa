/// Programs with calls, as programs without: what every predicate of legality understands.
#pragma once

#include "engine/ir/program.h"

namespace tw {

bool has_calls(ir::Program const& program);

/// Each block that is one call becomes the nests of what the call does, a block for each store,
/// with the loops of the behaviour below the block's own. Loops and blocks keep their ids and
/// names; the first of several blocks has the name and the id of the call's. A barrier alone is a
/// block without accesses. Tells who reads and writes what, exactly; that a call reads everything
/// before it writes is not said.
ir::Program with_calls_expanded(ir::Program const& program);

}  // namespace tw
