/// Whether the iterations of a loop may run in any order, or at once.
#pragma once

#include <expected>

#include "engine/arith/proof_budget.h"
#include "engine/schedule/primitive.h"

namespace tw {

/// Legal when no element written by one iteration is read or written by another one (loops around
/// equal, loops below free). First the structural predicate (each iteration has elements of its
/// own), then a bounded search for a conflicting pair, which is the counterexample, then integer
/// sets; when none decides the answer is "undecided", a refusal. `verb` is the primitive.
std::expected<Proof, Refusal> independent_iterations(ir::Program const& program,
                                                     Target const& target, ir::LoopSite const& loop,
                                                     std::string const& verb,
                                                     ProofBudget budget = ProofBudget::kWork);

}  // namespace tw
