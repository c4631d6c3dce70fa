/// ForeignModel -> Graph: every node in our words, shapes inferred, what is not understood kept as
/// an opaque node with its reason.
#pragma once

#include <map>

#include "engine/graph/graph.h"

namespace tw {

struct ImportOptions {
  /// Shapes of inputs that the model leaves open, by input name.
  std::map<std::string, Shape> fixed;
  /// Inputs whose elements are known, by name: they become constants, so that operators may be told
  /// shapes, axes and scales by them.
  std::map<std::string, NDArray> known;
};

/// Errors: unknown_input (a fixed or known name), wrong_shapes with the node, undefined_value,
/// duplicate_value.
Result<Graph> build_graph(ForeignModel const& model, ImportOptions const& options = {});

}  // namespace tw
