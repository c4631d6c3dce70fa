/// Along which axes a node's elements are found, and the same node with its axes in another order.
#pragma once

#include <optional>
#include <vector>

#include "engine/graph/graph.h"

namespace tw {

/// Axis i of the turned tensor is axis order[i] of the tensor. Empty: it is as it was.
using AxisOrder = std::vector<int64_t>;

/// 0, 1, ... where it is empty.
AxisOrder spelled_out(AxisOrder const& order, size_t rank);
/// Empty where it changes nothing.
AxisOrder shortened(AxisOrder order);
/// A tensor turned by `first`, then by `second`.
AxisOrder after(AxisOrder const& first, AxisOrder const& second);
/// What turns it back.
AxisOrder inverse(AxisOrder const& order);
/// The order that gives the same tensor of that shape and leaves axes of extent 1 in their places
/// among one another; so two orders that give the same are equal.
AxisOrder settled(AxisOrder const& order, Shape const& shape);
/// The axes that are not of extent 1, in that order: where these are the same, no element moves.
AxisOrder wide_axes(AxisOrder const& order, Shape const& shape);
Shape turned(Shape const& shape, AxisOrder const& order);
/// The array's elements, moved.
NDArray turned(NDArray const& array, AxisOrder const& order);

/// How a node finds the elements of one of its tensors.
struct TensorAxes {
  std::vector<size_t> of_node;  ///< the node's axis of each of the tensor's
  /// It is broadcast and has fewer axes than the result: its axes must stay the last ones.
  bool is_aligned = false;
  /// It is read as it is, whatever the order: a scale, a number.
  bool is_fixed = false;
};

/// The axes of a node whose extents are all known. They can come in any order, and the node
/// computes the same.
struct NodeAxes {
  size_t count = 0;
  std::vector<TensorAxes> inputs;
  TensorAxes output;
};
/// Empty: nothing is known of the node, or its axes must stay as they are.
std::optional<NodeAxes> axes_of(Graph const& graph, Node const& node);

/// In which order the tensor's axes come when the node's come in `order`.
AxisOrder order_in(TensorAxes const& tensor, AxisOrder const& order);
/// An order of the node's axes in which the tensor's come in `wanted`; the others stay.
AxisOrder order_for(NodeAxes const& axes, TensorAxes const& tensor, AxisOrder const& wanted);

/// The node with its axes in another order: its operands and its result are turned by `order_in`,
/// those that are aligned have all of the result's axes where `keeps_alignment` says no.
Node with_order(Graph const& graph, Node const& node, NodeAxes const& axes, AxisOrder const& order);
/// Whether an aligned operand can be read by its own axes alone.
bool keeps_alignment(TensorAxes const& tensor, AxisOrder const& order);

}  // namespace tw
