/// Nodes that are computed a second time, for one reader alone.
#pragma once

#include "engine/graph/graph.h"

namespace tw {

/// The graph in which `reader` reads `value` from copies of these nodes, which make it and of which
/// nothing but it comes out; they stand right before the reader. What the copied nodes read is not
/// copied. For a graph before fusion.
///   r = relu(x); a = f(r); b = g(r)  -->  r = relu(x); a = f(r); r_for_b = relu(x); b = g(r_for_b)
struct Rematerialized {
  Graph graph;
  std::vector<NodeId> origin;  ///< of each node: the one that it was, or is a copy of
};
Rematerialized rematerialized(Graph const& graph, std::vector<NodeId> const& nodes, NodeId reader,
                              ValueId value);

}  // namespace tw
