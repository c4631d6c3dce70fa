#include "engine/graph/pattern.h"

#include <algorithm>

namespace tw {

Pattern Pattern::as(std::string name) const {
  Pattern named = *this;
  named.name_ = std::move(name);
  return named;
}

Pattern Pattern::with_elements() const {
  Pattern known = *this;
  known.has_elements_ = true;
  return known;
}

Pattern Pattern::only_read_there() const {
  Pattern once = *this;
  once.only_read_there_ = true;
  return once;
}

Pattern Pattern::where(std::function<bool(Node const&)> holds) const {
  Pattern narrower = *this;
  narrower.holds_.push_back(std::move(holds));
  return narrower;
}

class Matcher {
public:
  explicit Matcher(PatternView const& view) : view_(view) {}

  bool node(Pattern const& pattern, Node const& node) {
    if (!node.op || node.op->name != pattern.op_ || !operands(pattern, node)) return false;
    if (!std::ranges::all_of(pattern.holds_, [&](auto const& holds) { return holds(node); }))
      return false;
    if (!pattern.name_.empty()) match_.nodes[pattern.name_] = &node;
    return true;
  }
  Match take() { return std::move(match_); }

private:
  bool value(Pattern const& pattern, ValueId id) {
    if (!id.valid()) return false;
    if (pattern.has_elements_ && !view_.graph.value(id).is_constant()) return false;
    if (pattern.only_read_there_ && !view_.is_read_once(id)) return false;
    if (!pattern.op_.empty()) {
      Node const* maker = view_.maker(id);
      if (!maker || maker->outputs[0] != id || !node(pattern, *maker)) return false;
    }
    if (!pattern.name_.empty()) match_.values[pattern.name_] = id;
    return true;
  }

  bool operands(Pattern const& pattern, Node const& node) {
    std::vector<Pattern> const& wanted = pattern.operands_;
    if (wanted.size() > node.inputs.size()) return false;
    std::vector<ValueId> given = node.inputs;
    if (in_order(wanted, given)) return true;
    if (!node.op->commutative || wanted.size() != 2 || given.size() != 2) return false;
    std::swap(given[0], given[1]);
    return in_order(wanted, given);
  }

  /// What a failed try has named is forgotten.
  bool in_order(std::vector<Pattern> const& wanted, std::vector<ValueId> const& given) {
    Match before = match_;
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (value(wanted[i], given[i])) continue;
      match_ = std::move(before);
      return false;
    }
    return true;
  }

  PatternView const& view_;
  Match match_;
};

std::optional<Match> match(Pattern const& pattern, PatternView const& view, Node const& node) {
  Matcher matcher(view);
  if (!matcher.node(pattern, node)) return std::nullopt;
  return matcher.take();
}

}  // namespace tw
