/// Averages of bytes that integers compute: a sum and a shift.
#pragma once

#include <functional>
#include <optional>

#include "engine/graph/graph.h"

namespace tw {

/// An average_pool or global_average_pool, perhaps times a constant number: sums of windows of one
/// size, each times 2^-shift.
struct ShiftedSum {
  Node const* pool = nullptr;
  Node const* factor = nullptr;  ///< the `mul`; null: there is none
  int64_t count = 0;             ///< elements of a window
  int shift = 0;
  Attributes window;  ///< of the sum_pool that sums up
};

/// The node that makes a value; null: none does.
using MakerOf = std::function<Node const*(ValueId)>;
/// What makes `id`, if it is such an average. Empty: it is something else, its windows at the
/// border hold fewer elements, or dividing is no shift (49 elements).
std::optional<ShiftedSum> shifted_sum(Graph const& graph, MakerOf const& maker, ValueId id);

/// Whether the operator gives the elements of its first operand in another shape.
bool only_reshapes(Node const& node);

/// Averages over windows whose size is no power of two become shifted sums where a product with
/// constant weights alone reads them, perhaps in another shape: the weights take the factor.
///   // y = gemm(flatten(global_average_pool(x: f32[1, C, 7, 7])), w)  -->
///   // y = gemm(flatten(global_average_pool(x) * 49/64), w * 64/49)
Graph with_shifted_sums(Graph graph);

}  // namespace tw
