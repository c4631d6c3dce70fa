/// Looks for two iterations of a loop that touch one element, by running through points of the
/// nest.
#pragma once

#include <optional>

#include "engine/ir/program.h"
#include "engine/schedule/refusal.h"

namespace tw {

struct SearchResult {
  std::optional<Conflict> conflict;
  bool complete = false;  ///< every point was visited: no conflict means that there is none
};

/// At most a fixed number of points is visited, so that the answer does not depend on the machine.
SearchResult find_conflict(std::vector<ir::BlockSite> const& blocks, ir::For const& loop);

/// The points of one block below a list of loops, in the order of `order` (all loops of the block,
/// outermost first). Empty when there are more than `most` or an extent is not constant.
std::optional<std::vector<std::vector<int64_t>>> all_points(
    std::vector<ir::For const*> const& order, int64_t most);

}  // namespace tw
