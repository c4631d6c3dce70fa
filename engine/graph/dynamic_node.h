/// Nodes whose shapes, axes or bounds are computed while the model runs: they are converted again
/// in each run, when these are known.
#pragma once

#include "engine/graph/graph.h"

namespace tw {

/// What a dynamic node is in one run: a node with everything known, under the same name, and which
/// of the dynamic node's operands it takes; empty: none.
struct DynamicCall {
  Node node;
  std::vector<std::optional<size_t>> operands;
};

struct DynamicNode {
  Operator const* op = nullptr;
  /// What the node is with these operands: one call per output, or one for all. The importer's.
  std::function<Result<std::vector<DynamicCall>>(std::vector<NDArray> const& operands)> convert;
};

}  // namespace tw
