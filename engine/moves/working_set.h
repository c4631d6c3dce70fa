/// How a nest holds a tensor: what of it is at work below each loop, and the order of its elements
/// that the nest would like best.
#pragma once

#include <optional>
#include <string>

#include "engine/hardware/hardware.h"
#include "engine/moves/nest.h"

namespace tw::moves {

/// What is at work of one tensor while the loops from `from` inwards run once.
struct WorkingSet {
  analysis::Touched part;
  int64_t elements = 0;  ///< of the part
  double uses = 0;       ///< loads and stores of them
};
WorkingSet held(BlockNest const& nest, std::string const& tensor, size_t from, int64_t line_bytes);

/// The farthest out that a loop's part of the tensor takes no more than half of the cache (the
/// other half is for what else is at work), is less than the whole, and is used more than once.
/// The loop's place in the nest; nothing: there is no such part of more than one element.
std::optional<size_t> place_for_copy(BlockNest const& nest, std::string const& tensor,
                                     MemoryLevel const& cache, int64_t line_bytes);

/// The layout in which the elements that the nest's innermost copies and vectors use together lie
/// side by side, and behind them those that come next; as pack and transform_layout take it. Empty:
/// they lie so already, or no layout makes them.
std::string liked_layout(BlockNest const& nest, std::string const& tensor);

}  // namespace tw::moves
