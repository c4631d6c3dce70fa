#include <fmt/format.h>

#include <set>

#include "engine/graph/computes.h"
#include "engine/graph/control.h"

namespace tw {
namespace {

std::unexpected<Error> invalid(std::string message, std::string node = {}) {
  return bad_input("invalid_graph", std::move(message), {{}, 0, 0, std::move(node)});
}

bool in_range(Graph const& graph, ValueId id) {
  return id.valid() && size_t(id.value) < graph.values.size();
}

Status verify_node(Graph const& graph, Node const& node, std::set<ValueId>& made) {
  for (ValueId input : node.inputs) {
    if (!input.valid()) continue;
    if (!in_range(graph, input)) return invalid("it reads a value that does not exist", node.name);
    if (!made.count(input) && !graph.value(input).is_constant())
      return invalid(
          fmt::format("it reads '{}', which no earlier node computes", graph.value(input).name),
          node.name);
  }
  for (ValueId output : node.outputs) {
    if (!output.valid()) continue;
    if (!in_range(graph, output))
      return invalid("it computes a value that does not exist", node.name);
    if (!made.insert(output).second)
      return invalid(fmt::format("it computes '{}', which is already computed elsewhere",
                                 graph.value(output).name),
                     node.name);
  }
  return {};
}

/// A layout has the rank of its tensor, and the operator says that it takes what lies so; nodes
/// that are no operator take plain tensors.
Status verify_layouts(Graph const& graph, Node const& node) {
  bool plain = node.algorithm.empty(), known = true;
  for (auto const* list : {&node.inputs, &node.outputs})
    for (ValueId id : *list) {
      if (!id.valid()) continue;
      plain = plain && graph.value(id).layout.is_plain();
      known = known && tensor_info(graph.value(id));
    }
  if (plain) return {};
  if (!node.op) return invalid("it only takes and gives tensors in the plain layout", node.name);
  if (!known) return invalid("a layout was chosen for a tensor with an unknown extent", node.name);
  Status taken = takes(*node.op, node.attributes, arrangement_of(graph, node));
  return taken ? Status() : invalid(taken.error().message, node.name);
}

Status verify_value(Value const& value) {
  std::optional<Shape> shape = value.shape();
  if (!value.layout.is_plain() && (!shape || !value.layout.fits(shape->size())))
    return invalid(fmt::format("'{}' is {}, which cannot have layout {}", value.name,
                               to_text(value.type), to_text(value.layout)));
  if (value.is_constant() && shape && value.layout.stored(*shape) != value.constant.shape())
    return invalid(
        fmt::format("the constant '{}' has a different shape than its type", value.name));
  return {};
}

Status verify_interface(Graph const& graph) {
  for (auto const* list : {&graph.inputs, &graph.outputs})
    for (ValueId id : *list)
      if (!graph.value(id).layout.is_plain())
        return invalid(fmt::format("'{}' is an input or output of the graph, but has layout {}",
                                   graph.value(id).name, to_text(graph.value(id).layout)));
  return {};
}

Status verify_bodies(Node const& node) {
  size_t captured = size_t(node.captured);
  if (node.captured < 0 || captured > node.inputs.size())
    return invalid(fmt::format("it captures {} of {} inputs", node.captured, node.inputs.size()),
                   node.name);
  if (node.control && node.sub_graphs.size() != node.control->bodies.size())
    return invalid(fmt::format("it has {} graphs", node.sub_graphs.size()), node.name);
  for (auto const& body : node.sub_graphs) {
    if (!body || body->inputs.size() < captured)
      return invalid("one of its graphs does not take what it captures", node.name);
    TRY(verify(*body));
  }
  return {};
}

Status verify_groups(Graph const& graph) {
  if (graph.groups.empty()) return {};
  std::vector<int> times(graph.nodes.size());
  for (Group const& group : graph.groups)
    for (NodeId id : group.nodes) {
      if (!id.valid() || size_t(id.value) >= graph.nodes.size())
        return invalid("a group names a node that does not exist");
      if (++times[size_t(id.value)] > 1) return invalid("it is in two groups", graph.node(id).name);
    }
  for (size_t i = 0; i < times.size(); ++i)
    if (times[i] == 0) return invalid("it is in no group", graph.nodes[i].name);
  return {};
}

}  // namespace

Status verify(Graph const& graph) {
  std::set<ValueId> made;
  for (ValueId input : graph.inputs) {
    if (!in_range(graph, input)) return invalid("an input does not exist");
    made.insert(input);
  }
  for (Node const& node : graph.nodes) {
    TRY(verify_node(graph, node, made));
    TRY(verify_bodies(node));
  }
  for (ValueId output : graph.outputs) {
    if (!in_range(graph, output)) return invalid("an output does not exist");
    if (!made.count(output) && !graph.value(output).is_constant())
      return invalid(fmt::format("no node computes the output '{}'", graph.value(output).name));
  }
  for (Value const& value : graph.values) TRY(verify_value(value));
  TRY(verify_interface(graph));
  for (Node const& node : graph.nodes) TRY(verify_layouts(graph, node));
  return verify_groups(graph);
}

}  // namespace tw
