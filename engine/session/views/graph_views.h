/// Graphs as values for a front: nodes, edges with their reasons, groups.
#pragma once

#include <optional>

#include "engine/compile/plan.h"
#include "engine/session/fusion.h"
#include "engine/session/values.h"

namespace tw::session {

/// A graph among a graph and all graphs inside it, in their order, and where its numbers begin.
struct PlacedGraph {
  Graph const* graph = nullptr;
  int parent = -1;  ///< of the list; -1: the model's own
  NodeId owner;     ///< its node in the parent
  size_t body = 0;  ///< which graph of the node it is
  int first_node = 0, first_group = 0;
  std::string prefix;  ///< of its nodes' names: "If_32/then/"
};
std::vector<PlacedGraph> placed_graphs(Graph const& graph);

/// Nodes and edges of a graph and of all graphs inside it. A graph inside stands between what it
/// reads and its node; its nodes' names begin with its own: "If_32/then/relu".
struct GraphParts {
  std::vector<GraphNodeView> nodes;  ///< numbered from 0
  std::vector<GraphEdgeView> edges;  ///< every edge between nodes; why fused or not, when decided
};
GraphParts graph_parts(Graph const& graph);
/// The fused groups of all these graphs, numbered as in `graph_parts`; shares are by work.
std::vector<GraphGroupView> group_views(Graph const& graph, Plan const& plan);
/// Of one that only runs on its own: opaque.
PatternClass pattern_of(Node const& node);
/// As it lies in memory; 0: not known.
int64_t bytes_of(Value const& value);
/// What fusion said of the edge between two nodes, numbered as in `graph_parts`; without
/// `other_way` and costs. Empty: nothing.
std::optional<FusionEdge> judged_edge(Graph const& graph, int from, int to);
/// The ids of that edge's ends; {-1, -1}: there is none.
std::pair<int, int> numbers_of_edge(Graph const& graph, std::string const& edge);
/// "1x64x56x56" without the leading 1 of a batch: "64x56x56"; "?" for what is not known.
std::string shape_text(ValueType const& type);
/// The same with the layout of what is not plain: "64x56x56 ABCD16b".
std::string shape_text(Value const& value);

}  // namespace tw::session
