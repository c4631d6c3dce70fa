/// The graph's passes for a target.
#pragma once

#include "engine/backend/backend.h"
#include "engine/graph/pipeline.h"

namespace tw {

/// All graph passes, with the layouts and algorithms that the backend chooses.
inline Result<Graph> optimize(Graph const& graph, Backend const& backend) {
  return optimize(graph, [&](Graph const& one) { return backend.choose_layouts(one); });
}

}  // namespace tw
