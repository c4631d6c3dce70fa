/// What a value is in the copies of a statement that unrolled loops make of it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/ir/handles.h"

namespace tw::gpu {

/// Counters of loops that are written out, with their extents.
using Counters = std::vector<std::pair<std::string, int64_t>>;

/// One value for each round of the loops that decide which branch of a choice is taken, without
/// what is not taken; the value alone where they decide nothing, or are too many.
std::vector<ir::Expr> decided_copies(ir::Expr const& value, Counters const& unrolled);

}  // namespace tw::gpu
