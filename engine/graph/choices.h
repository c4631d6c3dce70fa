/// Which layouts and algorithms a graph runs with: a target's answer, asked once for a whole graph.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/graph/graph.h"

namespace tw {

/// What is not named stays as it is: values plain, operands as their values lie, nodes by their
/// operator's first compute.
struct GraphChoices {
  std::map<ValueId, Layout> values;  ///< what nodes make: how it is written
  /// Operand `second` of node `first` is read so, whatever its value lies as: it is changed before.
  std::map<std::pair<NodeId, size_t>, Layout> operands;
  std::map<NodeId, std::string> algorithms;
  std::vector<std::string> reasons;  ///< a sentence each: what was chosen, what it gains and costs

  bool empty() const { return values.empty() && operands.empty() && algorithms.empty(); }
};

/// The target's answer for a graph before fusion. The graphs inside it are asked for, each alone.
using LayoutChooser = std::function<Result<GraphChoices>(Graph const&)>;

/// How the node would run with these choices.
Arrangement arrangement_of(Graph const& graph, NodeId node, GraphChoices const& choices);
/// Whether its operator takes that; never for what is no operator or has an extent that is not
/// known, unless all stays plain.
bool takes(Graph const& graph, NodeId node, GraphChoices const& choices);

/// Takes back what a node refuses: the layouts of all values at it, and so on at the nodes on both
/// sides, until every node takes what is left; of a node that refuses still, what was chosen for
/// the node alone. What is left needs no change between two nodes, but that of constants.
void take_back_refused(Graph const& graph, GraphChoices& choices);

/// The graph with the choices made: values get their layouts, nodes their algorithms. Where a node
/// reads another layout than is written, where something that is no operator reads, and where the
/// model's own outputs are made, a change_layout stands between; constants are changed at once.
///   y = conv(x, w)  -->  y as ABCD16b = conv(x, w as ABCD16a)
/// Errors: bad_choice, those of `to_layout`.
Result<Graph> apply_choices(Graph const& graph, GraphChoices const& choices);

/// The cost of the changes in a graph: bytes that they read and write in one run.
int64_t changed_bytes(Graph const& graph);

}  // namespace tw
