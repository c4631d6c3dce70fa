/// Which tensors the iterations of a loop share, and which each has to itself.
#pragma once

#include <set>
#include <string>

#include "engine/ir/program.h"
#include "engine/target/target.h"

namespace tw {

/// Tensors of which each iteration of `loop` has an instance of its own: allocated below it, in a
/// memory that other iterations do not share.
std::set<std::string> tensors_of_iteration(Target const& target, ir::For const& loop);

/// The same for every loop of a chain, the last of which is the innermost.
std::set<std::string> tensors_of_iteration(Target const& target,
                                           std::vector<ir::LoopSite> const& chain);

}  // namespace tw
