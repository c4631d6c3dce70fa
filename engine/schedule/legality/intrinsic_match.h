/// Whether a nest is what an instruction does.
#pragma once

#include <expected>
#include <vector>

#include "engine/schedule/legality/nest_comparison.h"

namespace tw {

/// One operand for each parameter of the declaration.
struct IntrinsicMatch {
  std::vector<ir::Operand> operands;
};

/// The loops of both may stand in any order. Errors: no_such_behaviour, nest_differs and
/// extent_differs with nest and instruction one below the other, reads_what_it_writes,
/// writes_elements_twice, not_in_rows.
std::expected<IntrinsicMatch, Refusal> match_intrinsic(SingleBlockNest const& nest,
                                                       TensorIntrinsic const& intrinsic,
                                                       ir::LoopSite const& top);

/// Pairs of loops under which nest and instruction do the same but for extents; the pairs with the
/// fewest extents that differ. Empty: they do different things.
std::vector<LoopPairs> pairs_but_for_extents(SingleBlockNest const& nest,
                                             ir::IntrinsicNode const& intrinsic);

}  // namespace tw
