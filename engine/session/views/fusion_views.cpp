// One edge of the graph, as fusion judged it.
#include <algorithm>
#include <map>

#include "engine/session/views/graph_views.h"

namespace tw::session {
namespace {

/// A graph inside of another one has numbers of its own.
struct Found {
  Graph const* graph = nullptr;
  EdgeDecision const* decision = nullptr;
  int first = 0;  ///< number of the graph's first node
};

/// In the order in which `graph_parts` numbers nodes: a graph, then the ones inside it.
void find(Graph const& graph, int& first, auto const& is_it, Found& found) {
  int own = first;
  first += int(graph.nodes.size());
  for (EdgeDecision const& decision : graph.decisions)
    if (!found.decision && is_it(decision, own)) found = {&graph, &decision, own};
  for (Node const& node : graph.nodes)
    for (auto const& body : node.sub_graphs) find(*body, first, is_it, found);
}

Found find(Graph const& graph, auto const& is_it) {
  Found found;
  int first = 0;
  find(graph, first, is_it, found);
  return found;
}

void for_each_decision(Graph const& graph, auto const& take) {
  for (EdgeDecision const& decision : graph.decisions) take(decision);
  for (Node const& node : graph.nodes)
    for (auto const& body : node.sub_graphs) for_each_decision(*body, take);
}

FusionEnd end_of(Graph const& graph, NodeId id) {
  Node const& node = graph.node(id);
  std::string detail = node.op ? detail_of(node) : "";
  return {node.name,
          (node.op ? title_of(graph, node) : node.type) + (detail.empty() ? "" : " " + detail),
          pattern_of(node)};
}

/// "relu joins conv2d", of "relu joins conv2d: injective after ...".
std::string what_joined(EdgeDecision const& decision) {
  return decision.chosen ? "" : decision.reason.substr(0, decision.reason.find(':'));
}

}  // namespace

std::optional<FusionEdge> judged_edge(Graph const& graph, int from, int to) {
  Found found = find(graph, [&](EdgeDecision const& decision, int first) {
    return decision.from.value + first == from && decision.to.value + first == to;
  });
  if (!found.decision) return std::nullopt;
  EdgeDecision const& decision = *found.decision;
  Value const& value = found.graph->value(decision.value);
  FusionEdge edge{.from = end_of(*found.graph, decision.from),
                  .to = end_of(*found.graph, decision.to),
                  .value = value.name,
                  .shape = shape_text(value),
                  .bytes = double(bytes_of(value)),
                  .fused = decision.fused,
                  .chosen = decision.chosen,
                  .fixed = decision.fixed,
                  .rule = decision.rule,
                  .reason = decision.reason,
                  .joined = {},
                  .edge = decision.edge,
                  .other_way = {},
                  .costs = {}};
  std::map<std::string, int> joined;
  for_each_decision(graph, [&](EdgeDecision const& one) {
    edge.alike += &one != &decision && one.rule == decision.rule;
    if (std::string words = what_joined(one); one.fused && !words.empty()) ++joined[words];
  });
  for (auto const& [words, times] : joined) edge.joined.push_back({words, times});
  std::ranges::stable_sort(edge.joined, std::greater(), &FusionPair::times);
  return edge;
}

std::pair<int, int> numbers_of_edge(Graph const& graph, std::string const& edge) {
  Found found =
      find(graph, [&](EdgeDecision const& decision, int) { return decision.edge == edge; });
  if (!found.decision) return {-1, -1};
  return {found.first + found.decision->from.value, found.first + found.decision->to.value};
}

}  // namespace tw::session
