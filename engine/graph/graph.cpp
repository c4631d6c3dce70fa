#include "engine/graph/graph.h"

#include <algorithm>

#include "engine/ir/op.h"

namespace tw {

std::optional<Shape> Value::shape() const {
  if (type.kind != ValueKind::kTensor || !type.dims) return std::nullopt;
  Shape shape;
  for (ir::Expr const& dim : *type.dims) {
    std::optional<int64_t> extent = dim ? ir::as_int(dim) : std::nullopt;
    if (!extent) return std::nullopt;
    shape.push_back(*extent);
  }
  return shape;
}

ValueId Graph::add_value(Value value) {
  values.push_back(std::move(value));
  return {int32_t(values.size()) - 1};
}

std::optional<TensorInfo> tensor_info(Value const& value) {
  if (value.is_constant() && value.layout.is_plain())
    return TensorInfo{value.constant.type(), value.constant.shape(), value.constant};
  std::optional<Shape> shape = value.shape();
  if (!shape || !value.type.dtype) return std::nullopt;
  return TensorInfo{*value.type.dtype, *shape, {}};
}

std::optional<TensorInfo> stored_info(Value const& value) {
  std::optional<TensorInfo> info = tensor_info(value);
  if (!info || value.layout.is_plain()) return info;
  return TensorInfo{info->type, value.layout.stored(info->shape), value.constant};
}

Arrangement arrangement_of(Graph const& graph, Node const& node) {
  Arrangement arrangement{node.algorithm, {}, {}};
  auto add = [&](ValueId id, std::vector<LaidTensor>& list) {
    list.emplace_back();
    if (!id.valid()) return;
    list.back().layout = graph.value(id).layout;
    if (auto info = tensor_info(graph.value(id))) list.back().shape = info->shape;
  };
  for (ValueId id : node.inputs) add(id, arrangement.inputs);
  for (ValueId id : node.outputs) add(id, arrangement.outputs);
  return arrangement;
}

ValueType tensor_type(DType type, Shape const& shape) {
  std::vector<ir::Expr> dims;
  for (int64_t extent : shape) dims.push_back(ir::int_imm(extent));
  return {ValueKind::kTensor, type, std::move(dims)};
}

std::vector<NodeId> producers(Graph const& graph) {
  std::vector<NodeId> result(graph.values.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (ValueId output : graph.nodes[i].outputs)
      if (output.valid()) result[size_t(output.value)] = {int32_t(i)};
  return result;
}

std::vector<std::vector<NodeId>> consumers(Graph const& graph) {
  std::vector<std::vector<NodeId>> result(graph.values.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    for (ValueId input : graph.nodes[i].inputs)
      if (input.valid()) result[size_t(input.value)].push_back({int32_t(i)});
  return result;
}

bool is_output(Graph const& graph, ValueId id) {
  return std::find(graph.outputs.begin(), graph.outputs.end(), id) != graph.outputs.end();
}

std::string title_of(Graph const& graph, Node const& node) {
  if (!node.op || node.op->name != "conv" || node.inputs.size() < 2) return node.type;
  std::optional<Shape> weights = graph.value(node.inputs[1]).shape();
  if (!weights || weights->size() < 3) return node.type;
  int64_t outputs = (*weights)[0];
  bool depthwise =
      (*weights)[1] == 1 && integer(node.attributes, "group", 1) == outputs && outputs > 1;
  return (depthwise ? "depthwise_conv" : "conv") + std::to_string(weights->size() - 2) + "d";
}

std::string detail_of(Node const& node) {
  std::vector<int64_t> kernel = integers(node.attributes, "kernel");
  std::vector<int64_t> strides = integers(node.attributes, "strides");
  std::string text = kernel.empty() ? "" : to_text(Shape(kernel));
  if (!strides.empty() &&
      std::any_of(strides.begin(), strides.end(), [](int64_t s) { return s != 1; }))
    text += " /" + (std::equal(strides.begin() + 1, strides.end(), strides.begin())
                        ? std::to_string(strides[0])
                        : to_text(Shape(strides)));
  return text;
}

}  // namespace tw
