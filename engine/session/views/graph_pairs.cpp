#include "engine/session/views/graph_pairs.h"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

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
        if (pairs_.after.emplace(id, found->second).second) pairs_.gone.insert(id);
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

namespace {

GraphNodeView const* node_of(std::vector<GraphNodeView> const& nodes, int id) {
  auto found = std::ranges::find(nodes, id, &GraphNodeView::id);
  return found == nodes.end() ? nullptr : &*found;
}

/// No way leads to it from an input of the model.
bool is_known_before_it_runs(GraphView const& graph, int node_before) {
  std::unordered_map<int, std::vector<int>> makers;
  for (GraphEdgeView const& edge : graph.edges_before) makers[edge.to].push_back(edge.from);
  std::vector<int> way{node_before};
  std::set<int> seen{node_before};
  for (size_t next = 0; next < way.size(); ++next)
    for (int maker : makers[way[next]]) {
      if (maker < 0) return false;
      if (seen.insert(maker).second) way.push_back(maker);
    }
  return true;
}

/// One that has a graph inside runs as what is in that.
bool has_graphs(GraphView const& graph, GraphNodeView const& node) {
  return std::ranges::any_of(graph.nodes, [&](GraphNodeView const& other) {
    return other.name.starts_with(node.name + "/") && other.id > node.id;
  });
}

std::string why_no_kernel(GraphView const& graph, GraphNodeView const& node) {
  if (!node.reason.empty()) return fmt::format("No kernel computes {}: {}", node.name, node.reason);
  if (has_graphs(graph, node))
    return fmt::format("{} runs as the graphs inside it: choose an operator of those.", node.name);
  if (node.pattern == PatternClass::kOpaque)
    return fmt::format("No kernel computes {}: {} runs on its own.", node.name, node.op);
  return fmt::format("No kernel computes {}.", node.name);
}

std::string kernel_name(GraphView const& graph, int kernel) {
  auto group = std::ranges::find(graph.groups, kernel, &GraphGroupView::kernel);
  return group == graph.groups.end() ? "" : group->name;
}

}  // namespace

ComputedIn computed_in(GraphView const& graph, int node) {
  for (GraphGroupView const& group : graph.groups)
    if (group.kernel >= 0 && std::ranges::find(group.nodes, node) != group.nodes.end())
      return {group.kernel, ""};
  GraphNodeView const* view = node_of(graph.nodes, node);
  return {-1, view ? why_no_kernel(graph, *view) : ""};
}

ComputedIn computed_in(GraphView const& graph, NodePairs const& pairs, int node_before) {
  GraphNodeView const* view = node_of(graph.nodes_before, node_before);
  if (!view) return {};
  auto after = pairs.after.find(node_before);
  bool gone = after == pairs.after.end() || pairs.gone.contains(node_before);
  if (gone && is_known_before_it_runs(graph, node_before))
    return {-1, fmt::format("No kernel computes {}: it depends on no input, so that its value was "
                            "computed when the model was opened.",
                            view->name)};
  if (after == pairs.after.end())
    return {-1, fmt::format("No kernel computes {}: nothing reads what it makes.", view->name)};
  ComputedIn there = computed_in(graph, after->second);
  if (gone && there.kernel >= 0)
    there.why = fmt::format("Nothing is left of {} but how {} reads what it passes on.", view->name,
                            kernel_name(graph, there.kernel));
  return there;
}

}  // namespace tw::session
