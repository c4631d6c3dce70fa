/// What must hold of loops that run as a target's blocks and threads, whatever step was taken.
#pragma once

#include <expected>
#include <string>

#include "engine/arith/proof_budget.h"
#include "engine/schedule/refusal.h"
#include "engine/target/target.h"

namespace tw {

bool has_bound_loops(ir::Program const& program);

/// Of every bound loop: its axis has as many iterations, and the threads of its launch are no more
/// than a block may have; only serial and bound loops are around it, and no
/// loop of blocks is inside of a loop of threads, nor holds a part of a sum; below it no iteration
/// touches what another one writes. Inside of a loop bound to the same axis it only fills tensors
/// that the threads share, with values that do not depend on the thread. Codes: unknown_axis,
/// axis_too_short, too_many_threads, bound_loops_do_not_nest, sum_over_blocks, not_shared_work, and
/// those of `independent_iterations`. A tensor in a memory of threads or blocks may still stand
/// outside of their loops: lowering refuses what was left so.
std::expected<void, Refusal> bound_loops_hold(ir::Program const& program, Target const& target,
                                              std::string const& verb, ProofBudget budget);

}  // namespace tw
