#include "engine/graph/inference.h"

#include "engine/graph/reference.h"

namespace tw {
namespace {

constexpr int64_t kSmallConstant = 4096;  // elements: shapes and the like, which others wait for

}  // namespace

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
  auto outputs = node.op->infer(node.attributes, operands);
  // Shapes and types that fit ONNX but not our operator: the node runs as nothing we know.
  if (!outputs && outputs.error().code == "unsupported") {
    node.type = node.op->onnx;
    node.op = nullptr;
    node.reason = outputs.error().message;
    return {};
  }
  if (!outputs) {
    Error error = outputs.error();
    error.place = {{}, 0, 0, node.name};
    return std::unexpected(error);
  }
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
