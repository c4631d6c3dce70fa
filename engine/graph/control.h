/// Operators that own graphs: If, Loop, Scan. One file of `graph/control` defines one; CMake makes
/// the table. They have no kernel: whoever runs a graph computes by them which sub-graph runs when,
/// and on what.
#pragma once

#include <set>

#include "engine/graph/graph.h"
#include "engine/support/base/job.h"

namespace tw {

/// Runs a sub-graph on its inputs but the captured ones, which the runner adds.
using RunBody =
    std::function<Result<std::vector<NDArray>>(size_t body, std::vector<NDArray> const& inputs)>;

struct ControlLimits {
  int64_t max_bytes = int64_t(1) << 31;  ///< of one tensor that is gathered from many runs
  StopToken stop;
};

/// A control node on arrays.
struct ControlCall {
  Attributes const& attributes;
  std::vector<NDArray> operands;   ///< without the captured ones; an empty array is absent
  std::vector<ValueType> outputs;  ///< what is known of them
  RunBody const& run_body;
  ControlLimits const& limits;
};

struct ControlOperator {
  std::string name;  ///< "if"
  std::string doc;
  std::vector<std::string> bodies;  ///< "then", "else"
  std::vector<AttributeDoc> attributes;

  /// Which sub-graph runs, when the operands tell; null: they never do.
  std::optional<size_t> (*decide)(std::vector<Value> const& operands) = nullptr;
  /// Types of a sub-graph's inputs before the captured ones, and their elements where every run has
  /// the same. Errors: unsupported, wrong_shapes.
  Result<std::vector<Value>> (*body_inputs)(Attributes const&,
                                            std::vector<Value> const& operands) = nullptr;
  /// Which output of the sub-graph is which of its inputs in the next run; null: none is.
  std::vector<std::pair<size_t, size_t>> (*carried)(Attributes const&,
                                                    std::vector<Value> const& operands) = nullptr;
  /// Types of the outputs, from the outputs of each sub-graph that can run. What differs is open.
  Result<std::vector<ValueType>> (*outputs)(Attributes const&, std::vector<Value> const& operands,
                                            std::vector<std::vector<Value>> const& bodies) =
      nullptr;
  /// Errors: those of `run_body`, wrong_shapes, cancelled, loop_too_long, tensor_too_large.
  Result<std::vector<NDArray>> (*run)(ControlCall const&) = nullptr;
};

std::span<ControlOperator const* const> control_table();
/// Null when there is none.
ControlOperator const* find_control(std::string_view name);

/// "then", "else"; for an opaque node "body".
std::string body_name(Node const& node, size_t body);
/// How many of the inputs are the operator's own, not captured.
inline size_t operand_count(Node const& node) { return node.inputs.size() - size_t(node.captured); }
std::vector<Value> operands_of(Graph const& graph, Node const& node);
/// Every node of the graph and of the graphs inside it.
void for_each_node(Graph const& graph, std::function<void(Node const&)> const& f);

/// What both types say: an extent that differs is open, so are all when the ranks differ. An
/// element type that is not known is the other's.
ValueType common_type(ValueType const& a, ValueType const& b);
bool equal(ValueType const& a, ValueType const& b);

/// Before a sub-graph runs on `given` values, the captured ones among them. Errors: opaque_node
/// with its reason, wrong_inputs.
Status check_body_inputs(Graph const& body, size_t given);

/// Runs a control node; `operands` as the node's inputs, captured ones are not looked at. Errors:
/// those of the operator, at the node unless they are at a node inside.
Result<std::vector<NDArray>> run_control(Graph const& graph, Node const& node,
                                         std::vector<NDArray> const& operands,
                                         RunBody const& run_body, ControlLimits const& limits = {});

/// A sub-graph that comes into the place of its node.
struct Splice {
  Graph const& body;
  std::vector<ValueId> inputs;       ///< what stands for the body's inputs
  std::vector<ValueId> outputs;      ///< values that its outputs become; invalid: not wanted
  std::vector<std::string> origins;  ///< added to those of each of its nodes
};
/// Adds the body's values to the graph and gives its nodes, for the caller to put in. Names that
/// `taken` holds are made unique; all new ones are added to it.
std::vector<Node> splice(Graph& graph, Splice const& what, std::set<std::string>& taken);

}  // namespace tw
