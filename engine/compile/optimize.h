/// The graph's passes for a target.
#pragma once

#include "engine/backend/backend.h"
#include "engine/graph/pipeline.h"

namespace tw {

/// The backend's graph passes, with the layouts and algorithms that the backend chooses where
/// `decisions` say nothing else; what it asked of them are the graph's knobs.
inline Result<Graph> optimize(Graph const& graph, Backend const& backend, Decisions& decisions) {
  return optimize(
      graph, [&](Graph const& one) { return backend.choose_layouts(one, decisions); },
      backend.graph_passes());
}

/// The same without other answers: by rule.
inline Result<Graph> optimize(Graph const& graph, Backend const& backend) {
  Decisions by_rule;
  return optimize(graph, backend, by_rule);
}

}  // namespace tw
