/// ForeignModel -> Graph: every node in our words, shapes inferred, what is not understood kept as
/// an opaque node with its reason.
#pragma once

#include <map>

#include "engine/graph/graph.h"
#include "engine/imported/imported_model.h"

namespace tw {

struct ImportOptions {
  /// Shapes of inputs that the model leaves open, by input name; one extent by the name that the
  /// model has for it, wherever it stands.
  std::map<std::string, Shape> fixed;
  /// Inputs whose elements are known, by name: they become constants, so that operators may be told
  /// shapes, axes and scales by them.
  std::map<std::string, NDArray> known;
};

/// By the rules of the model's format (model_format.h); nodes may come in any order. Errors:
/// unknown_input (a fixed or known name), bad_fix, contradictory_fix, wrong_shapes with the node,
/// undefined_value, duplicate_value, cyclic_graph.
Result<Graph> build_graph(ImportedModel const& model, ImportOptions const& options = {});

}  // namespace tw
