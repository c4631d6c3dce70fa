/// Simplification of index arithmetic with known ranges. Floats are left as they are.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "engine/ir/handles.h"

namespace tw::arith {

using ir::Expr;

/// Both ends included.
struct Interval {
  int64_t low = 0;
  int64_t high = 0;
  bool operator==(Interval const&) const = default;
  bool is_point() const { return low == high; }
};

/// Ranges of variables. A variable that is not listed may be anything.
class Ranges {
public:
  void set(std::string const& name, Interval range) { ranges_[name] = range; }
  void erase(std::string const& name) { ranges_.erase(name); }
  std::optional<Interval> find(std::string const& name) const;

private:
  std::unordered_map<std::string, Interval> ranges_;
};

/// An interval that holds every value of an integer expression; empty when nothing is known.
std::optional<Interval> bounds(Expr const& e, Ranges const& ranges);

/// An equal expression, often smaller: sums are put in order with like terms joined, divisions and
/// remainders by constants resolved where ranges allow, comparisons decided, constants folded.
Expr simplify(Expr const& e, Ranges const& ranges = {});
/// Whether a condition holds for all values in range.
bool always(Expr const& condition, Ranges const& ranges);
bool never(Expr const& condition, Ranges const& ranges);

/// Simplifies every expression below, with ranges of loops (0..extent-1), block iterators and size
/// parameters as given; removes branches that are decided.
ir::Stmt simplify(ir::Stmt const& s, Ranges ranges = {});

}  // namespace tw::arith
