/// Loops of a sum whose iterations may be threads: each then adds a part, and the parts are added.
#pragma once

#include "engine/arith/proof_budget.h"
#include "engine/ir/program.h"
#include "engine/target/target.h"

namespace tw {

/// The target shares sums among threads, and all that the loop does is to add terms to elements
/// that the threads share, each of which is started in the same nest and once. A sum that is not of
/// this kind is the usual conflict of its terms.
bool is_thread_sum(ir::LoopSite const& loop, Target const& target, ProofBudget budget);

}  // namespace tw
