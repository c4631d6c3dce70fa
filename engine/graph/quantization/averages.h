/// Averages of bytes that integers compute: a sum and a shift.
#pragma once

#include <optional>

#include "engine/graph/pattern.h"

namespace tw {

/// Of an average_pool or global_average_pool whose windows all hold as many elements.
struct AlikeWindows {
  Attributes attributes;  ///< of a sum_pool over the same windows
  int64_t count = 0;
};
/// Empty: it is no such pool.
std::optional<AlikeWindows> alike_windows(Graph const& graph, Node const& pool);

/// An average_pool or global_average_pool, perhaps times a constant number: sums of windows of one
/// size, each times 2^-shift.
struct ShiftedSum {
  Node const* pool = nullptr;
  Node const* factor = nullptr;  ///< the `mul`; null: there is none
  int64_t count = 0;             ///< elements of a window
  int shift = 0;
  Attributes window;  ///< of the sum_pool that sums up
};

/// What makes `id`, if it is such an average. Empty: it is something else, its windows at the
/// border hold fewer elements, or dividing is no shift (49 elements).
std::optional<ShiftedSum> shifted_sum(Graph const& graph, MakerOf const& maker, ValueId id);

/// Whether the operator gives the elements of its first operand in another shape.
bool only_reshapes(Node const& node);

}  // namespace tw
