/// Nodes whose shapes, axes and bounds are computed while the model runs: they are converted anew
/// in each run, when these are known.
#pragma once

#include "engine/graph/graph.h"

namespace tw {

struct LateNode {
  ForeignNode node;
  int64_t opset = 1;
  Operator const* op = nullptr;
};

/// A node that is known, and which of the late node's operands it takes; empty: none.
struct LateCall {
  Node node;
  std::vector<std::optional<size_t>> operands;
};

/// One call per output, or one for all. Errors: those of the conversion.
Result<std::vector<LateCall>> convert_late(Node const& node, std::vector<NDArray> const& operands);

/// The error is that an operand is not known yet.
bool is_late(Error const& error);

}  // namespace tw
