/// Runs a graph by its operators' plain-loop references: slow, simple, and the judge of kernels.
#pragma once

#include <functional>

#include "engine/graph/graph.h"
#include "engine/support/base/job.h"

namespace tw {

struct ReferenceOptions {
  int64_t max_bytes = int64_t(1) << 31;  ///< of one tensor: a file may claim anything
  StopToken stop;
  Progress progress;
  /// Told each value that a node of the graph makes; graphs inside it keep theirs to themselves.
  std::function<void(ValueId, NDArray const&)> observe = {};
};

/// One node; tensors are as they are stored. `operands` replaces the constants of the graph's
/// values (empty: only constants). Errors: opaque_node with its reason, tensor_too_large, what the
/// operator says.
Result<std::vector<NDArray>> run_node(Graph const& graph, Node const& node,
                                      std::vector<NDArray> const& operands,
                                      ReferenceOptions const& options = {});

/// Outputs for inputs in the graph's order. Errors: missing_input, wrong_input, cancelled, those of
/// a node.
Result<std::vector<NDArray>> reference_run(Graph const& graph, std::vector<NDArray> const& inputs,
                                           ReferenceOptions const& options = {});

/// Number, type and shapes of inputs against the graph's declarations.
Status check_inputs(Graph const& graph, std::vector<NDArray> const& inputs);

}  // namespace tw
