/// Graphs as values for a front: nodes, edges with their reasons, groups.
#pragma once

#include "engine/graph/graph.h"
#include "engine/session/values.h"

namespace tw::session {

std::vector<GraphNodeView> node_views(Graph const& graph);
/// Every edge between nodes; fused and why from the graph's decisions.
std::vector<GraphEdgeView> edge_views(Graph const& graph);
/// "1x64x56x56" without the leading 1 of a batch: "64x56x56"; "?" for what is not known.
std::string shape_text(ValueType const& type);

}  // namespace tw::session
