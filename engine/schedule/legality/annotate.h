/// What vectorize, unroll and parallel share: they change how a loop runs, not what it computes.
#pragma once

#include <expected>

#include "engine/schedule/primitive.h"

namespace tw {

/// Words that were said of the loop are about one whose iterations follow each other: they go.
Applied with_kind(StepRequest const& request, ir::LoopKind kind);

/// Which kinds may hold which: below a vectorized loop only serial and unrolled ones; a parallel
/// one never inside of a parallel, vectorized or unrolled one. `around` and `below` are the loops
/// outside and inside of `loop`, which is to have `kind`.
std::expected<void, Refusal> kinds_nest(ir::LoopSite const& loop, ir::LoopKind kind,
                                        std::vector<ir::For const*> const& around,
                                        std::vector<ir::For const*> const& below,
                                        std::string const& verb);
/// The same with the loops as they are.
std::expected<void, Refusal> kinds_nest(ir::LoopSite const& loop, ir::LoopKind kind,
                                        std::string const& verb);

}  // namespace tw
