#include "engine/importers/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <unordered_map>

namespace tw {
namespace {

using Body = std::shared_ptr<ForeignGraph const>;
using Use = std::function<void(std::string const&)>;

void for_each_body(ForeignNode const& node, std::function<void(ForeignGraph const&)> const& use) {
  for (auto const& [name, attribute] : node.attributes)
    if (auto const* body = std::get_if<Body>(&attribute); body && *body) use(**body);
}

/// Nodes may share a graph, which is then looked at once.
void add_names_read(ForeignGraph const& graph, std::set<std::string>& names,
                    std::set<ForeignGraph const*>& seen) {
  if (!seen.insert(&graph).second) return;
  for (ForeignValue const& output : graph.outputs) names.insert(output.name);
  for (ForeignNode const& node : graph.nodes) {
    names.insert(node.inputs.begin(), node.inputs.end());
    for_each_body(node, [&](ForeignGraph const& body) { add_names_read(body, names, seen); });
  }
}

/// What graphs take from the graphs around them, by graph.
class FreeNames {
public:
  std::set<std::string> const& of(ForeignGraph const& graph) {
    auto [known, is_new] = names_.try_emplace(&graph);
    if (!is_new) return known->second;
    std::set<std::string> free;
    for (ForeignValue const& output : graph.outputs) free.insert(output.name);
    for (ForeignNode const& node : graph.nodes)
      for_each_read(node, [&](std::string const& name) { free.insert(name); });
    for (auto const& [name, tensor] : graph.initializers) free.erase(name);
    for (ForeignValue const& input : graph.inputs) free.erase(input.name);
    for (ForeignNode const& node : graph.nodes)
      for (std::string const& output : node.outputs) free.erase(output);
    return names_[&graph] = std::move(free);
  }

  void for_each_read(ForeignNode const& node, Use const& use) {
    for (std::string const& input : node.inputs) use(input);
    for_each_body(node, [&](ForeignGraph const& body) {
      for (std::string const& name : of(body)) use(name);
    });
  }

private:
  std::map<ForeignGraph const*, std::set<std::string>> names_;  // nodes may share a graph
};

std::string label(ForeignNode const& node) {
  std::string name = node.name;
  for (size_t i = 0; i < node.outputs.size() && name.empty(); ++i) name = node.outputs[i];
  return name.empty() ? node.op_type : name;
}

/// Nodes that are left wait for each other, or for one that does.
std::unexpected<Error> circle(ForeignGraph const& graph, std::vector<int> const& waits) {
  constexpr size_t kMostNamed = 3;
  std::vector<std::string> labels;
  for (size_t i = 0; i < waits.size(); ++i)
    if (waits[i] > 0) labels.push_back(label(graph.nodes[i]));
  std::string message = "it depends on its own result", first = labels[0];
  size_t count = labels.size();
  labels.resize(std::min(count, kMostNamed));
  if (count > 1)
    message += fmt::format(": {} of {} nodes depend on each other, '{}' among them", count,
                           waits.size(), fmt::join(labels, "', '"));
  return bad_input("cyclic_graph", message, {{}, 0, 0, first});
}

}  // namespace

std::set<std::string> names_read(ForeignGraph const& graph) {
  std::set<std::string> names;
  std::set<ForeignGraph const*> seen;
  add_names_read(graph, names, seen);
  names.erase("");
  return names;
}

Result<std::vector<size_t>> sorted_nodes(ForeignGraph const& graph) {
  std::unordered_map<std::string, size_t> maker;
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (std::string const& output : graph.nodes[i].outputs)
      if (!output.empty()) maker.emplace(output, i);
  std::vector<int> waits(graph.nodes.size());
  std::vector<std::vector<size_t>> readers(graph.nodes.size());
  FreeNames free;
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    free.for_each_read(graph.nodes[i], [&](std::string const& name) {
      auto found = maker.find(name);
      if (found == maker.end()) return;
      ++waits[i];
      readers[found->second].push_back(i);
    });
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t i = 0; i < waits.size(); ++i)
    if (waits[i] == 0) ready.push(i);
  std::vector<size_t> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (size_t reader : readers[order.back()])
      if (--waits[reader] == 0) ready.push(reader);
  }
  if (order.size() < waits.size()) return circle(graph, waits);
  return order;
}

}  // namespace tw
