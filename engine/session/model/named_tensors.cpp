#include "engine/session/model/named_tensors.h"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include "engine/session/views/graph_pairs.h"
#include "engine/session/views/graph_views.h"

namespace tw::session {
namespace {

class Naming {
public:
  explicit Naming(std::vector<GraphNodeView> const& nodes) : nodes_(nodes) {}

  /// What is made, and inputs of the model.
  void add(GraphEdgeView const& edge) {
    bool made = edge.from >= 0;
    add(made ? edge.from : edge.to, edge.value, made, edge.shape);
  }
  void add_constants(PlacedGraph const& placed) {
    for (size_t i = 0; i < placed.graph->nodes.size(); ++i)
      for (ValueId id : placed.graph->nodes[i].inputs) {
        if (!id.valid() || !placed.graph->value(id).is_constant()) continue;
        Value const& value = placed.graph->value(id);
        std::string name = value.name.empty() ? "" : placed.prefix + value.name;
        add(placed.first_node + int(i), name, false, shape_text(value));
      }
  }
  std::vector<GraphTensor> take() {
    std::ranges::stable_sort(found_, {}, &GraphTensor::node);
    return std::move(found_);
  }

private:
  /// A node is -1 where an input is an output at once.
  void add(int node, std::string const& name, bool made, std::string const& shape) {
    if (node < 0 || name.empty() || !seen_.emplace(node, name).second) return;
    found_.push_back({node, name, nodes_[size_t(node)].name, made, shape});
  }

  std::vector<GraphNodeView> const& nodes_;
  std::set<std::pair<int, std::string>> seen_;
  std::vector<GraphTensor> found_;
};

std::vector<GraphTensor> tensors_in(Graph const& graph, std::vector<GraphNodeView> const& nodes,
                                    std::vector<GraphEdgeView> const& edges) {
  Naming naming(nodes);
  for (GraphEdgeView const& edge : edges) naming.add(edge);
  for (PlacedGraph const& placed : placed_graphs(graph)) naming.add_constants(placed);
  return naming.take();
}

}  // namespace

GraphTensors named_tensors(LoadedModel const& model, GraphView const& graph) {
  GraphTensors found{tensors_in(model.after, graph.nodes, graph.edges),
                     tensors_in(model.before, graph.nodes_before, graph.edges_before)};
  std::unordered_set<std::string> stay;
  for (GraphTensor const& one : found.after) stay.insert(one.name);
  NodePairs const pairs = pair_nodes(graph);
  for (GraphTensor one : found.before) {
    auto after = pairs.after.find(one.node);
    if (after == pairs.after.end() || stay.contains(one.name)) continue;
    one.node = after->second;
    one.by += " before fusion";
    found.after.push_back(std::move(one));
  }
  std::ranges::stable_sort(found.after, {}, &GraphTensor::node);
  return found;
}

}  // namespace tw::session
