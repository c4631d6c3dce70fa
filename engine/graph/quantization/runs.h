/// Calibration inputs of another batch than the model's.
#pragma once

#include <vector>

#include "engine/graph/graph.h"

namespace tw {

/// Runs of the graph's extents out of one whose first extents are some times as large; what has
/// the graph's shape is in all of them. Errors: wrong_input.
Result<std::vector<std::vector<NDArray>>> runs_of(Graph const& graph,
                                                  std::vector<NDArray> const& inputs);

}  // namespace tw
