/// What a node makes, before it runs.
#pragma once

#include "engine/graph/graph.h"

namespace tw {

/// `node.op->infer`; an error names the node, and its operands with their sizes.
Result<std::vector<TensorInfo>> infer_node(Graph const& graph, Node const& node,
                                           std::span<TensorInfo const* const> operands);

/// Types of the outputs, and their elements when they are few and known; `node` is not in the graph
/// yet. One whose operands fit its format but not our operator becomes opaque, with the reason; its
/// type is for the caller to name.
/// Errors: wrong_shapes and others of the operator, at the node.
Status infer_outputs(Graph& graph, Node& node);

}  // namespace tw
