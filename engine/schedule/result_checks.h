/// What holds for the program after a step, whatever the step was.
#pragma once

#include "engine/schedule/primitive.h"

namespace tw {

/// Loops around one block: what walks programs calls itself once for each.
inline constexpr size_t kMostLoopsAround = 128;
/// Loops of a program.
inline constexpr size_t kMostLoops = 2048;

/// Errors: invalid_result; too_many_loops; tensor_too_large, for a tensor over 1 GiB that is more
/// than four times the largest one of `origin`, the program before any step; name_taken, where a name that the step gives reads
/// like a loop of a block ("Y.j") and there is such a loop.
std::expected<void, Refusal> verify_result(ir::Program const& origin, Applied const& after,
                                           Step const& step);

}  // namespace tw
