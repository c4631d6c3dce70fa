/// Whether loops may be put into another order.
#pragma once

#include <expected>

#include "engine/arith/proof_budget.h"
#include "engine/schedule/primitive.h"

namespace tw {

/// `before` and `after` hold the loops of one perfect chain, outermost first. Legal when at most
/// one of the moved loops lets iterations meet in an element (then pairs that meet keep their
/// order), or when every block below is complete or a reduction whose iterators are made of the
/// loops one to one (then only the order of a sum changes, and its first term stays the first);
/// what these do not show, integer sets decide: no two iterations that meet change places.
std::expected<Proof, Refusal> permutable(Target const& target,
                                         std::vector<ir::LoopSite> const& before,
                                         std::vector<ir::LoopSite> const& after,
                                         ProofBudget budget = ProofBudget::kWork);

}  // namespace tw
