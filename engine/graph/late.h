/// Nodes whose shapes, axes and bounds are computed while the model runs: they are converted anew
/// in each run, when these are known.
#pragma once

#include "engine/graph/graph.h"

namespace tw {

/// A node that is known (the name is the late node's), and which of the late node's operands it
/// takes; empty: none.
struct LateCall {
  Node node;
  std::vector<std::optional<size_t>> operands;
};

struct LateNode {
  Operator const* op = nullptr;
  /// What the node is with these operands: one call per output, or one for all. The importer's.
  std::function<Result<std::vector<LateCall>>(std::vector<NDArray> const& operands)> convert;
};

}  // namespace tw
