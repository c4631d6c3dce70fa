/// What passes that rewrite a graph share: its nodes one by one, who makes and who reads a value,
/// what stands for it now, and names that no other value has.
#pragma once

#include <deque>
#include <optional>
#include <set>

#include "engine/graph/pattern.h"

namespace tw {

struct Splice;  // control.h

/// Names that no value of a graph has.
class ValueNames {
public:
  explicit ValueNames(Graph const& graph);
  /// `wanted`, or with a number behind it; it is taken from then on.
  std::string unused(std::string const& wanted);
  std::set<std::string>& taken() { return names_; }

private:
  std::set<std::string> names_;
};

/// Nodes are taken at the front and kept at the back, as they are, changed, or others in their
/// place; what is not kept is gone. Values stay, and new ones are added behind them.
///   for (; auto node = rewriter.take();) rewriter.keep(*node);  // changes nothing
class GraphRewriter {
public:
  explicit GraphRewriter(Graph const& graph);

  /// Its nodes are those that were kept so far.
  Graph const& graph() const { return graph_; }
  Value& value(ValueId id) { return graph_.value(id); }
  Value const& value(ValueId id) const { return graph_.value(id); }
  /// The elements of a value; empty: they are not known.
  NDArray const& constant(ValueId id) const { return graph_.value(id).constant; }

  /// The next node; its inputs are what stands for them now. Empty: none is left.
  std::optional<Node> take();
  /// The nodes of a sub-graph, which are taken before what is left.
  void splice_next(Splice const& what);
  void keep(Node node);
  /// Who is still to be taken, and the graph's outputs, have `by` where they had `from`.
  void replace(ValueId from, ValueId by);
  /// A node that was kept makes `to` in the place of `from`, which nobody reads.
  void make_instead(ValueId from, ValueId to);

  /// The kept node that makes the value; null: none does. It may be changed, but for its outputs.
  Node* maker(ValueId id);
  Node const* maker(ValueId id) const;
  /// The node that made it in the graph as it came.
  Node const* first_maker(ValueId id) const;
  /// How many inputs of nodes and outputs of the graph had it when it came. What is replaced hands
  /// its uses on; a node in whose place nothing was kept is uncounted from the next `take` on.
  int uses(ValueId id) const { return uses_[size_t(id.value)]; }
  /// By one input of a node, and by no output.
  bool is_read_once(ValueId id) const { return uses(id) == 1 && !is_output(graph_, id); }
  /// The kept nodes, and the graph as it came, for patterns; the rewriter outlives them.
  PatternView kept() const;
  PatternView first() const;

  /// With a name of its own: the value's, or with a number behind it.
  ValueId add_value(Value value);
  ValueId add_constant(std::string const& name, NDArray const& elements);
  /// An operator's node that makes `output` and has its name; it is not kept yet.
  Node node(char const* op, Attributes attributes, std::vector<ValueId> inputs,
            ValueId output) const;

  /// Kept nodes without a way to an output go, and constants that nobody reads give their memory
  /// back. Returns how many nodes went.
  int64_t drop_unread();
  Graph finish();

private:
  void forget_last();
  ValueNames& names();

  Graph graph_;
  std::vector<Node> came_;
  std::vector<NodeId> first_makers_;
  std::deque<Node> open_;
  std::vector<ValueId> stands_;       ///< what stands for each value now
  std::vector<int> uses_;             ///< of each value
  std::vector<int32_t> makers_;       ///< which kept node makes each value; -1: none
  std::vector<ValueId> last_inputs_;  ///< of the node taken last
  bool kept_ = true;                  ///< something in its place, or itself
  std::optional<ValueNames> names_;   ///< made when the first value is added
};

}  // namespace tw
