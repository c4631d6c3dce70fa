#include "engine/graph/choices.h"

#include <algorithm>
#include <deque>

#include "engine/graph/computes.h"

namespace tw {
namespace {

bool is_known(Graph const& graph, Node const& node) {
  for (auto const* list : {&node.inputs, &node.outputs})
    for (ValueId id : *list)
      if (id.valid() && !tensor_info(graph.value(id))) return false;
  return true;
}

/// Forgets the layouts of all values at the node, and what was chosen for it alone if there are
/// none. True: values became plain.
bool take_back(Node const& node, NodeId id, GraphChoices& choices, std::vector<ValueId>& changed) {
  for (auto const* list : {&node.inputs, &node.outputs})
    for (ValueId value : *list)
      if (choices.values.erase(value) > 0) changed.push_back(value);
  if (!changed.empty()) return true;
  std::erase_if(choices.operands, [&](auto const& each) { return each.first.first == id; });
  choices.algorithms.erase(id);
  return false;
}

}  // namespace

Arrangement arrangement_of(Graph const& graph, NodeId id, GraphChoices const& choices) {
  Node const& node = graph.node(id);
  Arrangement arrangement = arrangement_of(graph, node);
  auto chosen = [&](ValueId value, Layout& layout) {
    if (auto found = choices.values.find(value); found != choices.values.end())
      layout = found->second;
  };
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    chosen(node.inputs[i], arrangement.inputs[i].layout);
    if (auto own = choices.operands.find({id, i}); own != choices.operands.end())
      arrangement.inputs[i].layout = own->second;
  }
  for (size_t i = 0; i < node.outputs.size(); ++i)
    chosen(node.outputs[i], arrangement.outputs[i].layout);
  if (auto found = choices.algorithms.find(id); found != choices.algorithms.end())
    arrangement.algorithm = found->second;
  return arrangement;
}

bool takes(Graph const& graph, NodeId id, GraphChoices const& choices) {
  Node const& node = graph.node(id);
  Arrangement arrangement = arrangement_of(graph, id, choices);
  if (arrangement.is_plain() && arrangement.algorithm.empty()) return true;
  if (!node.op || !is_known(graph, node)) return false;
  for (auto const* list : {&arrangement.inputs, &arrangement.outputs})
    for (LaidTensor const& tensor : *list)
      if (!tensor.layout.fits(tensor.shape.size())) return false;
  return takes(*node.op, node.attributes, arrangement).has_value();
}

void take_back_refused(Graph const& graph, GraphChoices& choices) {
  std::vector<NodeId> makers = producers(graph);
  std::vector<std::vector<NodeId>> readers = consumers(graph);
  std::deque<NodeId> open;
  for (size_t i = 0; i < graph.nodes.size(); ++i) open.push_back({int32_t(i)});
  for (; !open.empty(); open.pop_front()) {
    NodeId id = open.front();
    if (takes(graph, id, choices)) continue;
    std::vector<ValueId> changed;
    if (!take_back(graph.node(id), id, choices, changed)) continue;
    open.push_back(id);
    for (ValueId value : changed) {
      if (makers[size_t(value.value)].valid()) open.push_back(makers[size_t(value.value)]);
      auto const& others = readers[size_t(value.value)];
      open.insert(open.end(), others.begin(), others.end());
    }
  }
}

int64_t changed_bytes(Graph const& graph) {
  int64_t bytes = 0;
  for (Node const& node : graph.nodes) {
    if (!node.op || node.op->name != "change_layout") continue;
    for (ValueId id : {node.inputs[0], node.outputs[0]})
      if (auto info = stored_info(graph.value(id)))
        bytes += element_count(info->shape).value_or(0) * size_of(info->type);
  }
  return bytes;
}

}  // namespace tw
