#include "engine/graph/rematerialize.h"

#include <algorithm>
#include <map>
#include <set>

namespace tw {
namespace {

std::string unique(std::string wish, std::set<std::string>& taken) {
  std::string name = wish;
  for (int i = 2; !taken.insert(name).second; ++i) name = wish + "_" + std::to_string(i);
  return name;
}

class Copier {
public:
  Copier(Graph const& graph, NodeId reader) : graph_(graph), suffix_("_for_") {
    suffix_ += graph.node(reader).name;
    for (Node const& node : graph.nodes) names_.insert(node.name);
    for (Value const& value : graph.values) values_.insert(value.name);
  }

  /// The copy's results are values of their own; what it reads of other copies, too.
  Node copy(NodeId id) {
    Node node = graph_.node(id);
    node.name = unique(node.name + suffix_, names_);
    for (ValueId& input : node.inputs) input = now(input);
    for (ValueId& output : node.outputs) {
      if (!output.valid()) continue;
      Value value = graph_.value(output);
      value.name = unique(value.name + suffix_, values_);
      output = copies_[output] = graph_.add_value(std::move(value));
    }
    return node;
  }

  ValueId now(ValueId id) const {
    auto found = copies_.find(id);
    return found == copies_.end() ? id : found->second;
  }
  Graph take() { return std::move(graph_); }

private:
  Graph graph_;
  std::string suffix_;
  std::set<std::string> names_, values_;
  std::map<ValueId, ValueId> copies_;
};

}  // namespace

Rematerialized rematerialized(Graph const& graph, std::vector<NodeId> const& nodes, NodeId reader,
                              ValueId value) {
  Copier copier(graph, reader);
  Rematerialized result;
  std::vector<Node> list;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    NodeId self{int32_t(i)};
    Node node = graph.node(self);
    if (self == reader) {
      for (NodeId id : nodes) {
        list.push_back(copier.copy(id));
        result.origin.push_back(id);
      }
      std::ranges::replace(node.inputs, value, copier.now(value));
    }
    list.push_back(std::move(node));
    result.origin.push_back(self);
  }
  result.graph = copier.take();
  result.graph.nodes = std::move(list);
  return result;
}

}  // namespace tw
