#include "engine/graph/inference.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/graph/reference.h"

namespace tw {
namespace {

constexpr size_t kMostNamed = 6;  // operands in a sentence

constexpr int64_t kSmallConstant = 4096;  // elements: shapes and the like, which others wait for

/// "'x' f32[1, 3, 8, 8], 'w' f32[4, 2, 3, 3]"
std::string operand_list(Graph const& graph, Node const& node,
                         std::span<TensorInfo const* const> operands) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < std::min(operands.size(), kMostNamed); ++i) {
    bool named = i < node.inputs.size() && node.inputs[i].valid();
    std::string name = named ? fmt::format("'{}'", graph.value(node.inputs[i]).name)
                             : fmt::format("operand {}", i + 1);
    if (operands[i])
      texts.push_back(fmt::format("{} {}[{}]", name, to_text(operands[i]->type),
                                  fmt::join(operands[i]->shape, ", ")));
  }
  if (operands.size() > kMostNamed) texts.push_back("...");
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

Result<std::vector<TensorInfo>> infer_node(Graph const& graph, Node const& node,
                                           std::span<TensorInfo const* const> operands) {
  auto outputs = node.op->infer(node.attributes, operands);
  if (outputs) return outputs;
  Error error = outputs.error();
  if (!operands.empty()) error.message += " (of " + operand_list(graph, node, operands) + ")";
  error.place = {{}, 0, 0, node.name};
  return std::unexpected(std::move(error));
}

Status infer_outputs(Graph& graph, Node& node) {
  if (!node.op) return {};
  std::vector<std::optional<TensorInfo>> infos;
  bool all_constant = true;
  for (ValueId id : node.inputs) {
    infos.push_back(id.valid() ? tensor_info(graph.value(id)) : std::nullopt);
    if (id.valid() && !infos.back()) return {};
    all_constant = all_constant && (!id.valid() || graph.value(id).is_constant());
  }
  std::vector<TensorInfo const*> operands;
  for (auto const& info : infos) operands.push_back(info ? &*info : nullptr);
  auto outputs = infer_node(graph, node, operands);
  // Shapes and types that fit the node's format but not our operator: it runs as nothing we know.
  if (!outputs && outputs.error().code == "unsupported") {
    node.op = nullptr;
    node.reason = outputs.error().message;
    return {};
  }
  if (!outputs) return std::unexpected(outputs.error());
  for (size_t i = 0; i < node.outputs.size() && i < outputs->size(); ++i) {
    if (!node.outputs[i].valid()) continue;
    Value& value = graph.value(node.outputs[i]);
    value.type = tensor_type((*outputs)[i].type, (*outputs)[i].shape);
    value.constant = (*outputs)[i].constant;  // a shape is known before its tensor is
  }
  if (graph.value(node.outputs[0]).is_constant() || !all_constant ||
      element_count((*outputs)[0].shape).value_or(kSmallConstant + 1) > kSmallConstant)
    return {};
  auto results = run_node(graph, node, {});
  for (size_t i = 0; results && i < node.outputs.size() && i < results->size(); ++i)
    if (node.outputs[i].valid()) graph.value(node.outputs[i]).constant = (*results)[i];
  return {};
}

}  // namespace tw
