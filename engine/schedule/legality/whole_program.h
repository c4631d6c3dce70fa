/// What must hold of a program whose steps were taken on trust, asked once behind the last one.
#pragma once

#include <expected>

#include "engine/schedule/refusal.h"
#include "engine/target/target.h"

namespace tw {

/// The program is one, its memories have room and its bound loops stand where they may. `before`:
/// the program before any step. No proof: whether iterations depend on one another is not asked.
/// Code: invalid_result, and those of `memories_hold` and `bound_loops_hold`.
std::expected<void, Refusal> holds_as_a_whole(ir::Program const& before, ir::Program const& after,
                                              Target const& target);

}  // namespace tw
