/// What nodes must look like for a rewriting: an operator, what makes its operands, and what else
/// must hold of them.
///   made_by("batch_norm", {made_by("conv").as("conv").only_read_there()})
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/graph/graph.h"

namespace tw {

/// The node that makes a value; null: none does.
using MakerOf = std::function<Node const*(ValueId)>;

class Pattern {
public:
  /// Any value, whatever makes it.
  Pattern() = default;
  /// Made by a node of the operator whose first operands are like these; what is beyond them is not
  /// looked at. Two operands of a commutative operator may stand the other way round.
  Pattern(std::string op, std::vector<Pattern> operands)
      : op_(std::move(op)), operands_(std::move(operands)) {}

  /// A match has the node and the value under this name.
  Pattern as(std::string name) const;
  /// With known elements.
  Pattern with_elements() const;
  /// No other node and no output of the graph has the value.
  Pattern only_read_there() const;
  /// One more thing that must hold of the node.
  Pattern where(std::function<bool(Node const&)> holds) const;

private:
  friend class Matcher;

  std::string op_;  ///< empty: any value
  std::vector<Pattern> operands_;
  std::string name_;
  bool has_elements_ = false, only_read_there_ = false;
  std::vector<std::function<bool(Node const&)>> holds_;
};

/// A value that a node of the operator makes.
inline Pattern made_by(std::string op, std::vector<Pattern> operands = {}) {
  return {std::move(op), std::move(operands)};
}
inline Pattern any_value() { return {}; }
inline Pattern a_constant() { return Pattern().with_elements(); }

struct Match {
  std::map<std::string, Node const*> nodes;  ///< by the names of the pattern
  std::map<std::string, ValueId> values;
};

/// A graph as patterns see it.
struct PatternView {
  Graph const& graph;
  MakerOf maker;                              ///< the node that makes a value
  std::function<bool(ValueId)> is_read_once;  ///< by one input, and by no output
};

/// How the node is like the pattern, or empty.
std::optional<Match> match(Pattern const& pattern, PatternView const& view, Node const& node);

}  // namespace tw
