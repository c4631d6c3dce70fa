#include "engine/graph/transposes/axes.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace tw {
namespace {

using Axes = std::vector<int64_t>;

/// The operators of each kind; an element-wise one that is named nowhere has no axis of its own.
bool is_one_of(Node const& node, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, node.op->name) != names.end();
}
bool is_reduction(Node const& node) { return node.op->name.starts_with("reduce_"); }
bool finds_extreme(Node const& node) { return is_one_of(node, {"arg_max", "arg_min"}); }
bool is_of_rows(Node const& node) { return is_one_of(node, {"softmax", "log_softmax", "hardmax"}); }
bool is_between_bytes(Node const& node) {
  return is_one_of(node, {"quantize_linear", "dequantize_linear"});
}
bool reshapes(Node const& node) {
  return is_one_of(node, {"reshape", "flatten", "squeeze", "unsqueeze"});
}
bool is_elementwise(Node const& node) {
  return node.op->elementwise && !is_one_of(node, {"batch_norm", "constant_of_shape", "expand",
                                                   "quantize_linear", "dequantize_linear"});
}

std::optional<int64_t> axis_of(Attributes const& attributes, size_t rank, int64_t otherwise = 0) {
  int64_t axis = integer(attributes, "axis", otherwise), count = int64_t(rank);
  if (axis < -count || axis >= count) return std::nullopt;
  return axis < 0 ? axis + count : axis;
}

/// Attribute `axes`, counted from the front; without it all, or the first `otherwise`.
std::optional<Axes> axes_of(Attributes const& attributes, size_t rank, size_t otherwise) {
  Axes axes = integers(attributes, "axes");
  if (!has(attributes, "axes")) {
    axes.resize(std::min(otherwise, rank));
    std::iota(axes.begin(), axes.end(), 0);
  }
  for (int64_t& axis : axes) {
    if (axis < -int64_t(rank) || axis >= int64_t(rank)) return std::nullopt;
    if (axis < 0) axis += int64_t(rank);
  }
  return axes;
}

/// Where each axis stands in the order.
Axes places(AxisOrder const& order) { return inverse(order); }

TensorAxes all_axes(size_t rank) {
  TensorAxes axes;
  axes.of_node.resize(rank);
  std::iota(axes.of_node.begin(), axes.of_node.end(), size_t(0));
  return axes;
}

constexpr bool kFixed = true;

/// What is known of a node's tensors.
struct Shapes {
  std::vector<std::optional<Shape>> inputs;  ///< empty: absent
  Shape output;
};
std::optional<Shapes> shapes_of(Graph const& graph, Node const& node) {
  Shapes shapes;
  auto known = [&](ValueId id) -> std::optional<Shape> {
    Value const& value = graph.value(id);
    if (value.type.kind != ValueKind::kTensor || !value.layout.is_plain()) return std::nullopt;
    auto info = tensor_info(value);
    return info ? std::optional(info->shape) : std::nullopt;
  };
  for (ValueId id : node.inputs) {
    shapes.inputs.push_back(id.valid() ? known(id) : std::nullopt);
    if (id.valid() && !shapes.inputs.back()) return std::nullopt;
  }
  auto output = known(node.outputs[0]);
  if (!output) return std::nullopt;
  shapes.output = *output;
  return shapes;
}

/// Operands broadcast to the result: each has the result's last axes.
std::optional<NodeAxes> broadcast_axes(Shapes const& shapes) {
  NodeAxes axes{shapes.output.size(), {}, all_axes(shapes.output.size())};
  for (std::optional<Shape> const& shape : shapes.inputs) {
    TensorAxes tensor;
    bool is_number = shape && std::ranges::all_of(*shape, [](int64_t n) { return n == 1; });
    if (!shape || (is_number && shape->size() < axes.count)) {
      tensor.is_fixed = true;
    } else {
      if (shape->size() > axes.count) return std::nullopt;
      tensor.is_aligned = shape->size() < axes.count;
      for (size_t i = axes.count - shape->size(); i < axes.count; ++i) tensor.of_node.push_back(i);
    }
    axes.inputs.push_back(std::move(tensor));
  }
  return axes;
}

/// The first operand and the result have the same axes, `more` operands have none.
NodeAxes axes_of_first(Shapes const& shapes) {
  size_t rank = shapes.output.size();
  NodeAxes axes{rank, {all_axes(rank)}, all_axes(rank)};
  while (axes.inputs.size() < shapes.inputs.size()) axes.inputs.push_back({{}, false, kFixed});
  return axes;
}

/// The result lacks the axes that are `gone`.
NodeAxes axes_without(size_t rank, Axes const& gone) {
  NodeAxes axes{rank, {all_axes(rank)}, {}};
  for (size_t i = 0; i < rank; ++i)
    if (std::ranges::find(gone, int64_t(i)) == gone.end()) axes.output.of_node.push_back(i);
  return axes;
}

std::optional<NodeAxes> reduced_axes(Node const& node, Shapes const& shapes) {
  size_t rank = shapes.inputs[0]->size();
  std::optional<Axes> over;
  if (!finds_extreme(node))
    over = axes_of(node.attributes, rank, rank);
  else if (auto axis = axis_of(node.attributes, rank))
    over = Axes{*axis};
  if (!over || shapes.inputs.size() > 1) return std::nullopt;
  bool keep = integer(node.attributes, "keep", 1) != 0;
  return axes_without(rank, keep ? Axes() : *over);
}

/// Only axes of extent 1 come and go: each is an axis of the node that one of both tensors has.
std::optional<NodeAxes> reshaped_axes(Shapes const& shapes) {
  Shape const &from = *shapes.inputs[0], &to = shapes.output;
  if (std::ranges::count(from, 0) > 0) return std::nullopt;
  NodeAxes axes{0, {TensorAxes()}, {}};
  size_t i = 0, j = 0;
  for (; i < from.size() || j < to.size(); ++axes.count) {
    bool only_from = i < from.size() && from[i] == 1;
    bool only_to = !only_from && j < to.size() && to[j] == 1;
    bool both = i < from.size() && j < to.size() && from[i] == to[j];
    if (!only_from && !only_to && !both) return std::nullopt;
    if (!only_to) axes.inputs[0].of_node.push_back(axes.count), ++i;
    if (!only_from) axes.output.of_node.push_back(axes.count), ++j;
  }
  return axes;
}

/// One row along one axis.
bool has_single_rows(Node const& node, size_t rank) {
  auto axis = axis_of(node.attributes, rank, -1);
  return axis && (integer(node.attributes, "to_end") == 0 || *axis == int64_t(rank) - 1);
}

bool is_concat_of_known(Node const& node, Shapes const& shapes) {
  return std::ranges::all_of(shapes.inputs, [](auto const& shape) { return shape.has_value(); }) &&
         axis_of(node.attributes, shapes.output.size());
}

std::optional<NodeAxes> axes_of_kind(Node const& node, Shapes const& shapes) {
  size_t rank = shapes.output.size();
  bool same_rank = !shapes.inputs.empty() && shapes.inputs[0] && shapes.inputs[0]->size() == rank;
  if (shapes.inputs.empty() || !shapes.inputs[0]) return std::nullopt;
  if (is_elementwise(node)) return broadcast_axes(shapes);
  if (is_reduction(node) || finds_extreme(node)) return reduced_axes(node, shapes);
  if (reshapes(node)) return reshaped_axes(shapes);
  if (!same_rank) return std::nullopt;
  if (is_of_rows(node) && has_single_rows(node, rank)) return axes_of_first(shapes);
  if (is_between_bytes(node)) {
    bool along = element_count(*shapes.inputs[1]).value_or(0) != 1;
    if (along && !axis_of(node.attributes, rank, 1)) return std::nullopt;
    return axes_of_first(shapes);
  }
  if (is_one_of(node, {"split", "slice"}) ? shapes.inputs.size() == 1 : node.op->name == "pad")
    return axes_of_first(shapes);
  if (node.op->name == "concat" && is_concat_of_known(node, shapes)) {
    NodeAxes axes{rank, {}, all_axes(rank)};
    axes.inputs.assign(shapes.inputs.size(), all_axes(rank));
    return axes;
  }
  return std::nullopt;
}

// What attributes say of axes, when these come in another order.

void turn_axis(Attributes& attributes, AxisOrder const& order, int64_t otherwise = 0) {
  int64_t axis = *axis_of(attributes, order.size(), otherwise);
  attributes["axis"] = places(order)[size_t(axis)];
}

void turn_axes(Attributes& attributes, AxisOrder const& order, size_t otherwise) {
  Axes axes = *axes_of(attributes, order.size(), otherwise);
  Axes const place = places(order);
  for (int64_t& axis : axes) axis = place[size_t(axis)];
  attributes["axes"] = axes;
}

void turn_pads(Attributes& attributes, AxisOrder const& order) {
  Axes const pads = integers(attributes, "pads");
  Axes turned_pads;
  for (size_t side = 0; side < 2; ++side)
    for (int64_t axis : order) turned_pads.push_back(pads[size_t(axis) + side * order.size()]);
  attributes["pads"] = turned_pads;
}

}  // namespace

AxisOrder spelled_out(AxisOrder const& order, size_t rank) {
  if (!order.empty()) return order;
  AxisOrder all(rank);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

AxisOrder shortened(AxisOrder order) {
  if (std::ranges::is_sorted(order)) order.clear();
  return order;
}

AxisOrder after(AxisOrder const& first, AxisOrder const& second) {
  if (first.empty() || second.empty()) return first.empty() ? second : first;
  AxisOrder both;
  for (int64_t axis : second) both.push_back(first[size_t(axis)]);
  return shortened(std::move(both));
}

AxisOrder inverse(AxisOrder const& order) {
  AxisOrder back(order.size());
  for (size_t i = 0; i < order.size(); ++i) back[size_t(order[i])] = int64_t(i);
  return back;
}

AxisOrder settled(AxisOrder const& order, Shape const& shape) {
  AxisOrder result = order, ones;
  for (int64_t axis : order)
    if (shape[size_t(axis)] == 1) ones.push_back(axis);
  std::ranges::sort(ones);
  auto next = ones.begin();
  for (int64_t& axis : result)
    if (shape[size_t(axis)] == 1) axis = *next++;
  return shortened(std::move(result));
}

AxisOrder wide_axes(AxisOrder const& order, Shape const& shape) {
  AxisOrder wide = spelled_out(order, shape.size());
  std::erase_if(wide, [&](int64_t axis) { return shape[size_t(axis)] == 1; });
  return wide;
}

Shape turned(Shape const& shape, AxisOrder const& order) {
  if (order.empty()) return shape;
  Shape result;
  for (int64_t axis : order) result.push_back(shape[size_t(axis)]);
  return result;
}

NDArray turned(NDArray const& array, AxisOrder const& order) {
  if (order.empty()) return array;
  std::array const operands{array};
  return find_operator("transpose")->reference({{"order", order}}, operands).value()[0];
}

std::optional<NodeAxes> axes_of(Graph const& graph, Node const& node) {
  if (!node.op || node.outputs.size() != 1 || !node.algorithm.empty()) return std::nullopt;
  auto shapes = shapes_of(graph, node);
  return shapes ? axes_of_kind(node, *shapes) : std::nullopt;
}

AxisOrder order_in(TensorAxes const& tensor, AxisOrder const& order) {
  AxisOrder result;
  for (int64_t axis : order) {
    auto found = std::ranges::find(tensor.of_node, size_t(axis));
    if (found != tensor.of_node.end()) result.push_back(found - tensor.of_node.begin());
  }
  return shortened(std::move(result));
}

AxisOrder order_for(NodeAxes const& axes, TensorAxes const& tensor, AxisOrder const& wanted) {
  AxisOrder order = spelled_out({}, axes.count);
  AxisOrder const in = spelled_out(wanted, tensor.of_node.size());
  auto next = in.begin();
  for (int64_t& axis : order)
    if (std::ranges::find(tensor.of_node, size_t(axis)) != tensor.of_node.end())
      axis = int64_t(tensor.of_node[size_t(*next++)]);
  return shortened(std::move(order));
}

bool keeps_alignment(TensorAxes const& tensor, AxisOrder const& order) {
  size_t first = order.size() - tensor.of_node.size();
  return order.empty() || std::all_of(order.begin() + int64_t(first), order.end(),
                                      [&](int64_t axis) { return size_t(axis) >= first; });
}

Node with_order(Graph const& graph, Node const& node, NodeAxes const& axes,
                AxisOrder const& order) {
  Node result = node;
  Attributes& attributes = result.attributes;
  if (reshapes(node)) {
    result.op = find_operator("reshape");
    result.type = result.op->name;
    Shape const shape = *graph.value(node.outputs[0]).shape();
    attributes = {{"shape", std::vector<int64_t>(turned(shape, order_in(axes.output, order)))}};
  } else if (is_reduction(node)) {
    if (has(attributes, "axes")) turn_axes(attributes, order, 0);
  } else if (finds_extreme(node) || is_one_of(node, {"concat", "split"})) {
    turn_axis(attributes, order);
  } else if (is_of_rows(node)) {
    turn_axis(attributes, order, -1);
    attributes.erase("to_end");
  } else if (is_between_bytes(node)) {
    bool along = element_count(*graph.value(node.inputs[1]).shape()).value_or(0) != 1;
    if (along) turn_axis(attributes, order, 1);
  } else if (node.op->name == "slice") {
    turn_axes(attributes, order, integers(attributes, "starts").size());
  } else if (node.op->name == "pad") {
    turn_pads(attributes, order);
  }
  return result;
}

}  // namespace tw
