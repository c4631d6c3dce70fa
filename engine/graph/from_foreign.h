/// ForeignModel -> Graph: every node in our words, shapes inferred, what is not understood kept as
/// an opaque node with its reason.
#pragma once

#include <map>

#include "engine/graph/graph.h"

namespace tw {

struct ImportOptions {
  /// Shapes of inputs that the model leaves open, by input name.
  std::map<std::string, Shape> fixed;
};

/// Errors: unknown_input (a fixed name), wrong_shapes with the node, undefined_value,
/// duplicate_value.
Result<Graph> build_graph(ForeignModel const& model, ImportOptions const& options = {});

}  // namespace tw
