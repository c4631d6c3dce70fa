#include "engine/session/views/graph_pairs.h"

#include <algorithm>
#include <string>

namespace tw::session {
namespace {

class Pairing {
public:
  explicit Pairing(GraphView const& graph) : graph_(graph) {
    for (GraphNodeView const& node : graph.nodes) by_name_.emplace(node.name, node.id);
    for (GraphEdgeView const& edge : graph.edges)
      if (edge.from >= 0) by_value_.emplace(edge.value, edge.from);
    for (GraphEdgeView const& edge : graph.edges_before) {
      if (edge.from < 0) continue;
      values_[edge.from].push_back(&edge.value);
      if (edge.to >= 0) readers_[edge.from].push_back(edge.to);
    }
  }

  NodePairs run() {
    for (GraphNodeView const& node : graph_.nodes_before) stays(node);
    // Backwards, so that readers are known before what they read: a chain is one step each.
    for (size_t i = graph_.nodes_before.size(); i-- > 0;)
      stands_where_it_is_read(graph_.nodes_before[i].id);
    for (GraphNodeView const& node : graph_.nodes_before)
      if (auto found = pairs_.after.find(node.id); found != pairs_.after.end())
        pairs_.before[found->second].push_back(node.id);
    return std::move(pairs_);
  }

private:
  void stays(GraphNodeView const& node) {
    if (auto named = by_name_.find(node.name); named != by_name_.end()) {
      pairs_.after[node.id] = named->second;
      return;
    }
    for (std::string const* value : values_[node.id])
      if (auto made = by_value_.find(*value); made != by_value_.end()) {
        pairs_.after[node.id] = made->second;
        return;
      }
  }

  /// Along readers that are gone, too, to the first that is there.
  void stands_where_it_is_read(int id) {
    std::vector<int> way{id};
    std::unordered_map<int, bool> seen{{id, true}};
    for (size_t next = 0; next < way.size(); ++next) {
      if (auto found = pairs_.after.find(way[next]); found != pairs_.after.end()) {
        pairs_.after.emplace(id, found->second);
        return;
      }
      for (int reader : readers_[way[next]])
        if (seen.emplace(reader, true).second) way.push_back(reader);
    }
  }

  GraphView const& graph_;
  std::unordered_map<std::string, int> by_name_, by_value_;
  std::unordered_map<int, std::vector<std::string const*>> values_;
  std::unordered_map<int, std::vector<int>> readers_;
  NodePairs pairs_;
};

}  // namespace

NodePairs pair_nodes(GraphView const& graph) { return Pairing(graph).run(); }

}  // namespace tw::session
