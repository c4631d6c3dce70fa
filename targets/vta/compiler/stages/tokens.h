/// Dependence tokens by data flow: as few as order every pair of calls that touch one element.
#pragma once

#include <span>

#include "targets/vta/compiler/stages/stage.h"

namespace tw::vta {

/// Gives the calls, which run in this order of their numbers, their tokens. Two calls of
/// neighbouring modules that touch an element, one of them writing, are ordered by a token from the
/// earlier one to the later one, unless another one does it already; taking away any one of them
/// leaves such a pair unordered.
///
/// Between two neighbouring modules and in one direction an ordered pair (i, j) is implied by
/// another (i', j') if i <= i' and j' <= j, and by nothing else: a way by the third module comes
/// back through the same queue. So it is enough to look at the last token of the queue, going
/// through the calls in their order; tokens of a queue are then matched in order, as a queue does
/// it. Source of the tokens' meaning: Moreau et al. 2018, §2.3.
void place_tokens(std::vector<StageCall>& calls, std::span<uint32_t const> order);

}  // namespace tw::vta
