/// What holds for the program after a step, whatever the step was.
#pragma once

#include "engine/schedule/primitive.h"

namespace tw {

/// Loops around one block: what walks programs calls itself once for each.
inline constexpr size_t kMostLoopsAround = 128;
/// Loops of a program.
inline constexpr size_t kMostLoops = 2048;

/// Errors: invalid_result; too_many_loops; tensor_too_large, for a tensor over 1 GiB that is more
/// than four times the largest one of `origin`, the program before any step; name_taken, where a
/// name that the step gives reads like a loop of a block ("Y.j") and there is such a loop. With
/// `kTrusted` only sizes are looked at.
std::expected<void, Refusal> verify_result(ir::Program const& origin, Applied const& after,
                                           Step const& step, ProofBudget budget);

/// Every block is on the side of every barrier that it was on, in the same order of iterations, and
/// no vector loop holds a call. Errors: across_a_barrier, with both blocks; call_in_vector_loop.
std::expected<void, Refusal> calls_keep_their_place(ir::Program const& before,
                                                    Applied const& after);

/// Some tensor's elements are used again and again.
bool has_turns(ir::Program const& program);
/// Blocks that use such a tensor do so in the order that they did before, in the same loops around
/// them, and no others do. Error: order_of_turns, with both blocks.
std::expected<void, Refusal> turns_keep_their_order(ir::Program const& before,
                                                    Applied const& after);

}  // namespace tw
