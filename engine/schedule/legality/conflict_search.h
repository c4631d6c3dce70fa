/// Looks for two iterations of a loop that touch one element, by running through points of the
/// nest.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "engine/ir/program.h"
#include "engine/schedule/refusal.h"

namespace tw {

struct SearchResult {
  std::optional<Conflict> conflict;
  bool complete = false;  ///< every point was visited: no conflict means that there is none
};

/// At most a fixed number of points is visited, so that the answer does not depend on the machine.
/// `own`: tensors of which each iteration has its own.
SearchResult find_conflict(std::vector<ir::BlockSite> const& blocks, ir::For const& loop,
                           std::set<std::string> const& own);

}  // namespace tw
