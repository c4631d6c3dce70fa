#include <set>

#include "engine/graph/passes.h"
#include "engine/graph/reference.h"

namespace tw {
namespace {

constexpr int64_t kMostGrowth = int64_t(1) << 30;  // bytes that folding may add to a whole graph

/// Bytes that folding would add, or -1 when the shape is not known.
int64_t result_bytes(Graph const& graph, Node const& node) {
  auto info = tensor_info(graph.value(node.outputs[0]));
  if (!info) return -1;
  auto count = element_count(info->shape);
  return count && *count < (int64_t(1) << 40) ? *count * size_of(info->type) : -1;
}

/// Bytes by which the graph grows when the node is folded; empty: it cannot be.
std::optional<int64_t> growth(Graph const& graph, Node const& node) {
  if (!node.op) return std::nullopt;
  int64_t given = 0;
  for (ValueId id : node.inputs) {
    if (!id.valid()) continue;
    if (!graph.value(id).is_constant()) return std::nullopt;
    given += graph.value(id).constant.byte_size();
  }
  int64_t bytes = result_bytes(graph, node);
  if (bytes < 0) return std::nullopt;
  return std::max<int64_t>(0, bytes - given);
}

/// Nodes without a way to an output are dropped, from the last to the first.
std::vector<Node> live_nodes(Graph const& graph, std::vector<Node> const& nodes) {
  std::set<ValueId> wanted(graph.outputs.begin(), graph.outputs.end());
  std::vector<Node> kept;
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    bool used = false;
    for (ValueId output : node->outputs) used = used || (output.valid() && wanted.count(output));
    if (!used) continue;
    wanted.insert(node->inputs.begin(), node->inputs.end());
    for (auto const& body : node->sub_graphs)  // a body may read any value around it by name
      for (size_t i = 0; i < graph.values.size(); ++i)
        for (ValueId captured : body->inputs)
          if (body->value(captured).name == graph.values[i].name) wanted.insert({int32_t(i)});
    kept.insert(kept.begin(), *node);
  }
  return kept;
}

/// Constants that nobody reads any more give their memory back.
void forget_unread(Graph& graph) {
  std::set<ValueId> read(graph.outputs.begin(), graph.outputs.end());
  for (Node const& node : graph.nodes) {
    if (!node.sub_graphs.empty()) return;  // a body reads by name what it likes
    read.insert(node.inputs.begin(), node.inputs.end());
  }
  for (size_t i = 0; i < graph.values.size(); ++i)
    if (!read.count({int32_t(i)})) graph.values[i].constant = {};
}

}  // namespace

Result<Graph> fold_constants(Graph const& graph) {
  Graph result = graph;
  std::vector<Node> nodes;
  int64_t room = kMostGrowth;
  for (Node const& node : graph.nodes) {
    bool known = !node.outputs.empty() && node.outputs[0].valid() &&
                 result.value(node.outputs[0]).is_constant();
    if (known) continue;  // made while the model was read
    if (auto more = growth(result, node); more && *more <= room) {
      room -= *more;
      auto folded = run_node(result, node, {});
      if (folded) {
        for (size_t i = 0; i < node.outputs.size(); ++i) {
          if (!node.outputs[i].valid()) continue;
          Value& value = result.value(node.outputs[i]);
          value.constant = (*folded)[i];
          value.type = tensor_type(value.constant.type(), value.constant.shape());
        }
        continue;
      }
    }
    nodes.push_back(node);
  }
  result.nodes = live_nodes(result, nodes);
  forget_unread(result);
  return result;
}

}  // namespace tw
