/// What the genetic search is made with.
#pragma once

#include "engine/tuner/search/search.h"

namespace tw {

/// Without `rule_first` nothing is known but the space.
std::unique_ptr<Search> make_genetic_search(Space const& space, uint64_t seed,
                                            bool rule_first = true);

}  // namespace tw
