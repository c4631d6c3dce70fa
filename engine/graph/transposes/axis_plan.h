/// In which order each node of a graph has its axes, so that transposes move as few elements as
/// possible. Nothing is changed yet.
///
/// A transpose is no node here: its result is the tensor that it reads, in another order. What is
/// left is each tensor, the order in which it is written, and those in which it is read; every
/// further order is a transpose. An order is written once for all that read it.
#pragma once

#include <map>
#include <set>

#include "engine/graph/transposes/axes.h"

namespace tw {

/// A value is this one, turned.
struct TurnedValue {
  ValueId of;
  AxisOrder order;
};

/// Fewer elements first, then fewer transposes.
struct TransposeCost {
  int64_t elements = 0;  ///< that transposes move; none, where only axes of extent 1 move
  int64_t transposes = 0;
  auto operator<=>(TransposeCost const&) const = default;
};

class AxisPlan {
public:
  /// All nodes have their axes as they are.
  explicit AxisPlan(Graph const& graph);

  /// Gives nodes other orders as long as that makes the cost less.
  void improve();

  /// Of the graph's own transposes.
  TransposeCost first_cost() const;
  TransposeCost cost() const;
  /// A node that the plan has no place for: its result is its operand, turned.
  bool is_transpose(NodeId id) const { return nodes_[size_t(id.value)].is_transpose; }
  TurnedValue const& source(ValueId id) const { return sources_[size_t(id.value)]; }
  AxisOrder const& order(NodeId id) const { return nodes_[size_t(id.value)].order; }
  /// Empty: the node's axes stay.
  std::optional<NodeAxes> const& axes(NodeId id) const { return nodes_[size_t(id.value)].axes; }
  /// The order in which the node reads what stands behind its operand, of that one's axes.
  AxisOrder read(NodeId id, size_t operand) const;
  /// In which the value is written that no transpose makes.
  AxisOrder written(ValueId id) const;
  /// A matrix that the node reads rows first or columns first, as it is written.
  bool takes_either(NodeId id, size_t operand) const;

private:
  struct PlannedNode {
    bool is_transpose = false;
    std::optional<NodeAxes> axes;
    AxisOrder order;
  };
  struct Use {
    NodeId node;  ///< invalid: an output of the graph
    size_t operand = 0;
    AxisOrder order = {};  ///< of an output
  };
  struct Wish {
    NodeId node;
    AxisOrder order;
  };
  struct Trial;

  void find_sources();
  AxisOrder read(Use const& use) const;
  AxisOrder settled_for(ValueId id, AxisOrder const& order) const;
  TransposeCost cost_of(ValueId id) const;
  std::set<ValueId> values_at(NodeId id) const;
  TransposeCost cost_around(NodeId id) const;

  std::optional<Wish> wish_to_read(Use const& use, AxisOrder const& order) const;
  std::optional<Wish> wish_to_write(ValueId id, AxisOrder const& order) const;
  bool can_be(NodeId id, AxisOrder const& order) const;
  std::vector<Wish> wishes_at(ValueId id) const;
  bool try_from(Wish const& first);
  std::optional<Wish> cheapest(std::vector<Wish>& open, Trial const& trial);
  void change(Trial& trial, Wish const& wish);

  Graph const& graph_;
  std::vector<PlannedNode> nodes_;
  std::vector<TurnedValue> sources_;    ///< of each value
  std::vector<NodeId> makers_;          ///< of each value
  std::vector<std::vector<Use>> uses_;  ///< of each value that is a source
  int64_t steps_ = 0;                   ///< tried so far
};

}  // namespace tw
