/// A perfect nest around one statement: what may become one call of the accelerator.
#pragma once

#include "targets/vta/compiler/stages/indices.h"

namespace tw::vta {

/// Loops one in another, guards between them, and the one store or call inside.
struct Chain {
  std::vector<ir::For const*> loops;  ///< outermost first; none is bound or unrolled
  std::vector<ir::Expr> guards;       ///< all must hold
  ir::Stmt leaf;
};
/// Nothing where the statement is no such nest. A loop that is unrolled has calls for each of its
/// iterations.
std::optional<Chain> chain_of(ir::Stmt const& s);

struct RunningNest {
  std::vector<RunningLoop> loops;
  bool empty() const;  ///< no iteration runs
};
/// The iterations that run while the loops around stand still: guards on single loops shorten
/// them. Errors: vta_guard, of one that speaks of several loops; vta_index, unknown_size.
Result<RunningNest> nest_of(Chain const& chain, Indices& indices, Standing const& standing);

/// Shortens `loops` to where the condition (comparisons of whole numbers, joined by &&) holds.
/// Errors: the same.
Status shorten(std::vector<RunningLoop>& loops, ir::Expr const& condition, Indices& indices,
               Standing const& standing);

}  // namespace tw::vta
