/// The compiler's view of a model: values and the nodes between them. Immutable by convention:
/// passes return a new graph. Value ids stay the same from pass to pass; nodes are renumbered.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/graph/operator.h"
#include "engine/support/base/id.h"

namespace tw {

using ValueId = Id<struct ValueTag>;
using NodeId = Id<struct NodeTag>;

enum class ValueKind : uint8_t { kTensor, kSequence, kOptional };

/// For sequences and optionals, type and dims are those of the element. An extent is an expression:
/// a number, a variable for a symbol of the model, or null when nothing is known.
struct ValueType {
  ValueKind kind = ValueKind::kTensor;
  std::optional<DType> dtype;
  std::optional<std::vector<ir::Expr>> dims;
};

/// Type and shape are logical: what the model means, whatever the layout. `constant` holds the
/// elements as they are stored.
struct Value {
  std::string name;  ///< as in the model: may hold ':', '/' and spaces
  ValueType type;
  NDArray constant;    ///< empty: not constant
  Layout layout = {};  ///< how it lies in memory; the graph's inputs and outputs are plain

  bool is_constant() const { return !constant.empty(); }
  /// The shape when every extent is a number.
  std::optional<Shape> shape() const;
};

struct Graph;
struct ControlOperator;  // control.h
struct DynamicNode;      // dynamic_node.h

struct Node {
  std::string name;              ///< of the model's node, or of its first output
  Operator const* op = nullptr;  ///< null: control flow, dynamic, or opaque
  std::string type;              ///< operator's name; for an opaque node the foreign type
  Attributes attributes;
  std::vector<ValueId> inputs;  ///< an invalid id is an absent optional input
  std::vector<ValueId> outputs;
  std::vector<std::string> origins;  ///< names of the model's nodes that it stands for
  std::string reason;                ///< for an opaque or dynamic node: why it is that
  std::vector<std::shared_ptr<Graph const>> sub_graphs;  ///< bodies of If, Loop, Scan
  ControlOperator const* control = nullptr;              ///< what runs the sub-graphs, and when
  /// How many of the last inputs are values of this graph that the sub-graphs read; they are the
  /// last inputs of each sub-graph, in the same order.
  int captured = 0;
  /// Set where shapes, axes or bounds come from operands that are computed while the model runs.
  /// Such a node is run by its operator's reference.
  std::shared_ptr<DynamicNode const> dynamic;
  std::string algorithm = {};  ///< which of the operator's computes; empty: the first

  bool is_opaque() const { return !op && !control && !dynamic; }
};

/// Nodes that become one kernel.
struct Group {
  std::vector<NodeId> nodes;  ///< in order; the last one makes the group's output
  NodeId anchor;              ///< the node whose class decided
  Fusion fusion = Fusion::kInjective;
};

/// Why two neighbours became one kernel, or did not.
struct EdgeDecision {
  NodeId from;
  NodeId to;
  ValueId value;
  bool fused = false;
  std::string rule;       ///< stable: "epilogue", "not_injective"
  std::string reason;     ///< "relu joins conv: injective after complex-out-fusable"
  std::string edge = {};  ///< "conv1>relu1": how a person's choice names it
  bool chosen = false;    ///< by a person, against the rule
  bool fixed = false;     ///< nobody can choose: one of them runs on its own, or the kernel is full
};

struct Graph {
  std::string name;
  std::vector<Value> values;
  std::vector<Node> nodes;  ///< producers before consumers
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::vector<Group> groups;            ///< empty before fusion; in an order in which they can run
  std::vector<EdgeDecision> decisions;  ///< one per edge between nodes, after fusion
  std::vector<std::string> notes;       ///< a sentence each: what was not understood
  std::vector<std::string> choices;     ///< a sentence each: which layout or algorithm, and why

  Value const& value(ValueId id) const { return values[size_t(id.value)]; }
  Value& value(ValueId id) { return values[size_t(id.value)]; }
  Node const& node(NodeId id) const { return nodes[size_t(id.value)]; }
  ValueId add_value(Value value);
};

/// Known type and logical shape of a value, or empty; the elements of a constant that is plain.
std::optional<TensorInfo> tensor_info(Value const& value);
/// The same as it is stored: what kernels, arenas and devices see.
std::optional<TensorInfo> stored_info(Value const& value);
/// By which compute a node runs and how its tensors lie; one whose extents are not known has none.
Arrangement arrangement_of(Graph const& graph, Node const& node);
ValueType tensor_type(DType type, Shape const& shape);
/// "f32[1, 64, N]", "sequence f32[...]".
std::string to_text(ValueType const& type);

/// Node that makes each value (invalid: none) and nodes that read it, once per use.
std::vector<NodeId> producers(Graph const& graph);
std::vector<std::vector<NodeId>> consumers(Graph const& graph);
bool is_output(Graph const& graph, ValueId id);

/// What a person calls the node: "conv2d", "depthwise_conv2d", "max_pool"; and its particulars,
/// "3x3 /2".
std::string title_of(Graph const& graph, Node const& node);
std::string detail_of(Node const& node);

/// "tilewright graph 1", a line per value that is used and per node, sub-graphs indented below
/// theirs; constants as content hashes.
std::string to_text(Graph const& graph);

/// Every condition that a graph and its sub-graphs must meet; the first one broken is the error
/// (`invalid_graph`).
Status verify(Graph const& graph);

}  // namespace tw
