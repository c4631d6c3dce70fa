/// Which nodes of a simplified float graph are computed in bytes, and with which steps.
#pragma once

#include <set>

#include "engine/graph/quantization/samples.h"

namespace tw {

/// A row of the report while it is made.
struct PlannedNode {
  NodeId node;
  ValueId end;  ///< what becomes bytes: the node's result after the addition and relu behind it
  QuantizedNode row;
};

/// Exponents of a convolution or matrix product, by channel of its result.
struct PlannedProduct {
  std::vector<int> weights;
  std::vector<int> finest;  ///< of its sums, or of a tensor that is added to them
};

struct QuantizationPlan {
  std::map<ValueId, int> values;      ///< what becomes bytes, and the exponent of its step
  std::set<ValueId> unsigned_values;  ///< of `values`: those in u8
  std::map<NodeId, PlannedProduct> products;
  /// Sums of bytes that no product makes, and the finest step of what they add: half of it is added
  /// to them, too.
  std::map<ValueId, int> sums;
  std::vector<PlannedNode> nodes;  ///< in the order of the graph
};

/// A convolution or matrix product takes bytes; the addition of a tensor and the relu or clip
/// behind it are done on its sums, and what comes out becomes bytes. A pool of maxima keeps bytes
/// as they are. Everything else stays in floats. Errors: unknown_node.
Result<QuantizationPlan> plan_quantization(Graph const& graph, GraphSamples const& samples,
                                           QuantizeOptions const& options);

}  // namespace tw
