#include "engine/graph/quantization/biases.h"

#include <algorithm>

#include "engine/graph/operator.h"

namespace tw {
namespace {

bool is_op(Node const& node, std::string_view name) { return node.op && node.op->name == name; }

/// The constant's numbers, one per channel of a result of this shape; empty: it is another
/// constant.
NDArray per_channel(NDArray const& constant, Shape const& result) {
  if (constant.type() != DType::kF32 || result.size() < 2 ||
      constant.shape().size() > result.size() || constant.size() != result[1])
    return {};
  Shape aligned(result.size() - constant.shape().size(), 1);
  aligned.insert(aligned.end(), constant.shape().begin(), constant.shape().end());
  if (aligned[1] != result[1]) return {};
  auto bias = NDArray::create(DType::kF32, {result[1]});
  if (!bias) return {};
  std::ranges::copy(constant.as<float>(), bias->as<float>().begin());
  return *std::move(bias);
}

/// The number of the `add` that alone reads what the convolution makes; -1: there is none.
int only_add(Graph const& graph, Node const& conv,
             std::vector<std::vector<NodeId>> const& readers) {
  bool biased = conv.inputs.size() > 2 && conv.inputs[2].valid();
  ValueId made = conv.outputs[0];
  auto const& of_it = readers[size_t(made.value)];
  if (biased || of_it.size() != 1 || is_output(graph, made)) return -1;
  return is_op(graph.node(of_it[0]), "add") ? of_it[0].value : -1;
}

}  // namespace

Graph with_biases(Graph graph) {
  std::vector<std::vector<NodeId>> const readers = consumers(graph);
  std::vector<bool> gone(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    Node& conv = graph.nodes[i];
    if (!is_op(conv, "conv") || conv.outputs.size() != 1) continue;
    int number = only_add(graph, conv, readers);
    if (number < 0) continue;
    Node const& add = graph.nodes[size_t(number)];
    bool first = add.inputs[0] == conv.outputs[0];
    Value const& other = graph.value(add.inputs[first ? 1 : 0]);
    auto shape = graph.value(add.outputs[0]).shape();
    if (!shape || !other.is_constant() || shape != graph.value(conv.outputs[0]).shape()) continue;
    NDArray bias = per_channel(other.constant, *shape);
    if (bias.empty()) continue;
    ValueId id = graph.add_value(
        {other.name + "/per_channel", tensor_type(DType::kF32, bias.shape()), bias});
    conv.inputs.resize(2);
    conv.inputs.push_back(id);
    conv.outputs = add.outputs;
    conv.origins.insert(conv.origins.end(), add.origins.begin(), add.origins.end());
    gone[size_t(number)] = true;
  }
  size_t at = 0;
  std::erase_if(graph.nodes, [&](Node const&) { return gone[at++]; });
  return graph;
}

}  // namespace tw
