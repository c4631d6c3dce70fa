/// Events of two agents that touch one element while nothing orders them.
#pragma once

#include <functional>
#include <span>

#include "engine/order/footprint.h"
#include "engine/order/happens_before.h"

namespace tw::order {

struct UnorderedPair {
  int32_t a = 0, b = 0;  ///< events
  int64_t element = 0;   ///< the first one that was found
};

/// Two agents that meet in one memory, and what the events of each touch there: only what conflicts
/// if both touch it (all of one write).
struct Meeting {
  int32_t a = 0, b = 0;  ///< agents
  std::function<IntervalSet const&(int32_t event)> of_a, of_b;
  int64_t bucket = 16;  ///< elements that are looked up together
};

/// All of them, up to `most`. What is not ordered with an event is a window of the other agent's:
/// as one agent goes on, so do both ends of the window.
std::vector<UnorderedPair> unordered_pairs(HappensBefore const& order, Meeting const& meeting,
                                           size_t most);

/// Of all pairs of different agents, where one writes what the other one touches: each pair of
/// events once, `a` of the agent with the smaller number, up to `most`. `footprints`: of each
/// event.
std::vector<UnorderedPair> unordered_pairs(HappensBefore const& order,
                                           std::span<Footprint const> footprints, size_t most);

/// Calls `found(event of a, event of b)` for all that nothing orders, of two different agents.
/// Whether they touch the same is for the caller to say, where it is no matter of intervals.
void each_unordered(HappensBefore const& order, int32_t a, int32_t b,
                    std::function<void(int32_t, int32_t)> const& found);

}  // namespace tw::order
