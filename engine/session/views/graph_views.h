/// Graphs as values for a front: nodes, edges with their reasons, groups.
#pragma once

#include "engine/compile/plan.h"
#include "engine/session/values.h"

namespace tw::session {

/// Nodes and edges of a graph and of all graphs inside it. A graph inside stands between what it
/// reads and its node; its nodes' names begin with its own: "If_32/then/relu".
struct GraphParts {
  std::vector<GraphNodeView> nodes;  ///< numbered from 0
  std::vector<GraphEdgeView> edges;  ///< every edge between nodes; why fused or not, when decided
};
GraphParts graph_parts(Graph const& graph);
/// The fused groups of all these graphs, numbered as in `graph_parts`; shares are by work.
std::vector<GraphGroupView> group_views(Graph const& graph, Plan const& plan);
/// "1x64x56x56" without the leading 1 of a batch: "64x56x56"; "?" for what is not known.
std::string shape_text(ValueType const& type);
/// The same with the layout of what is not plain: "64x56x56 ABCD16b".
std::string shape_text(Value const& value);

}  // namespace tw::session
