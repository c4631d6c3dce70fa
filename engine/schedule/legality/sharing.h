/// Which tensors the iterations of a loop share, and which each has to itself.
#pragma once

#include <set>
#include <string>

#include "engine/ir/program.h"
#include "engine/target/target.h"

namespace tw {

/// Tensors below a loop of threads that they share and that each of them fills with the same:
/// what is written, and where, does not depend on the thread. It is done once, by one of them or by
/// all together.
std::set<std::string> replicated_tensors(Target const& target, ir::For const& loop);

/// Those of `loops` whose threads share the tensor when it is allocated below them.
std::vector<ir::For const*> loops_sharing(Target const& target,
                                          std::vector<ir::For const*> const& loops,
                                          ir::BufferNode const& buffer);

/// Tensors of which each iteration of `loop` has an instance of its own: allocated below it, in a
/// memory that other iterations do not share. It is as if, of a tensor that is replicated.
std::set<std::string> tensors_of_iteration(Target const& target, ir::For const& loop);

/// The same for every loop of a chain, the last of which is the innermost.
std::set<std::string> tensors_of_iteration(Target const& target,
                                           std::vector<ir::LoopSite> const& chain);

}  // namespace tw
