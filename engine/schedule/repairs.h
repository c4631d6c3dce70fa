/// What would be legal in place of a refused step: for each kind of refusal the ways that may help
/// are listed in one table, each is tried, and those that work are offered.
#pragma once

#include <vector>

#include "engine/schedule/schedule.h"

namespace tw {

/// At most `most` repairs for a step that is refused, the nearest ones first; none for a step that
/// is legal. A fixed number of ways is tried.
std::vector<Repair> repairs_for(Schedule const& schedule, Step const& step, size_t most = 3);

}  // namespace tw
