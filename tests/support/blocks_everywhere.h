/// Layouts and algorithms that no processor of ours asks for: whoever counts on those that ours
/// does ask for shows.
#pragma once

#include "engine/graph/algorithms.h"
#include "engine/graph/choices.h"

namespace tw::testing {

inline bool is_conv(Graph const& graph, Node const& node) {
  if (!node.op || node.op->name != "conv" || node.inputs.size() < 2) return false;
  if (!node.inputs[0].valid() || !node.inputs[1].valid()) return false;
  auto weights = tensor_info(graph.value(node.inputs[1]));
  return weights && weights->shape.size() >= 3 && weights->type == DType::kF32;
}

/// Channels in blocks of `block` wherever the operators take it, the model's outputs too; the
/// weights of convolutions likewise, the last block filled up. A convolution that reads a plain
/// image of more channels than one has it changed; every third one in one group is a product, and
/// of the others every second one that can be is computed by transformed tiles.
inline GraphChoices blocks_everywhere(Graph const& graph, int64_t block) {
  GraphChoices choices;
  int dense = 0;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    Node const& node = graph.nodes[i];
    NodeId id{int32_t(i)};
    if (is_conv(graph, node)) {
      bool one_group = integer(node.attributes, "group", 1) == 1;
      size_t rank = tensor_info(graph.value(node.inputs[1]))->shape.size();
      if (one_group && ++dense % 3 == 0)
        choices.algorithms[id] = "im2col";
      else if (one_group && dense % 2 == 0 && algorithms_of(graph, node).size() > 2)
        choices.algorithms[id] = dense % 4 == 0 ? "winograd_4x4" : "winograd_2x2";
      else
        choices.operands[{id, 1}] = Layout::in_blocks(rank, 0, block);
    }
    if (!node.op) continue;
    for (ValueId output : node.outputs) {
      auto info = output.valid() ? tensor_info(graph.value(output)) : std::nullopt;
      if (info && info->shape.size() == 4 && info->shape[1] % block == 0)
        choices.values[output] = Layout::in_blocks(4, 1, block);
    }
  }
  take_back_refused(graph, choices);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    Node const& node = graph.nodes[i];
    NodeId id{int32_t(i)};
    if (!is_conv(graph, node) || choices.values.contains(node.inputs[0])) continue;
    auto image = tensor_info(graph.value(node.inputs[0]));
    if (!image || image->shape.size() < 3 || image->shape[1] < 2) continue;
    GraphChoices more = choices;
    more.operands[{id, 0}] = Layout::in_blocks(image->shape.size(), 1, block);
    if (takes(graph, id, more)) choices = more;
  }
  choices.reasons = {"blocks everywhere, to try them"};
  return choices;
}

}  // namespace tw::testing
