/// How the part of a tensor that one iteration of a loop touches moves on from each to the next.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "engine/schedule/names.h"
#include "engine/schedule/primitive.h"

namespace tw {

/// Which part of a tensor one iteration of a loop touches: `extent` elements of one dimension that
/// move on by `step` from iteration to iteration, and what it touches of the others each time.
struct MovingPart {
  size_t dimension = 0;
  int64_t step = 1;  ///< above 0
  int64_t extent = 1;
  bool backwards = false;  ///< each begins `step` before the one before it
};
/// Empty: it is no such part; `stays` tells whether every iteration touches the same elements.
struct SlidingWindow {
  std::optional<MovingPart> part;
  bool stays = false;
};
SlidingWindow sliding_window_of(ir::Program const& program, Target const& target,
                                ir::LoopSite const& loop, ir::BufferNode const& tensor);

/// A dimension with fewer elements than the tensor has, which are used again and again.
struct FoldedDim {
  size_t dimension = 0;
  int64_t modulus = 0;
};
/// Of a tensor that each iteration has for itself: what `instances` iterations that are under way
/// at the same time need of it. Empty: it stays as it is. Errors: same_elements, uneven_elements,
/// parts_overlap.
std::expected<std::optional<FoldedDim>, Refusal> folded_dim_of(
    ir::Program const& program, Target const& target, ir::LoopSite const& loop,
    ir::BufferNode const& tensor, int64_t instances, std::string const& verb, ProofBudget budget);

}  // namespace tw
