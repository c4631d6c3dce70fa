/// Index expressions as linear rows over the variables of an integer system: one object for each
/// iteration that a question speaks of.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "engine/arith/integer_sets.h"
#include "engine/arith/simplify.h"
#include "engine/ir/op.h"

namespace tw {

/// Numbers from here on are no indices: rows that hold one are refused, so that products of two
/// stay below 63 bits.
inline constexpr int64_t kLargestRow = int64_t(1) << 31;

/// Names (of loops or iterators) with the variables that stand for them; each // and % becomes a
/// quotient, a variable of its own, and each min and max one that is either of two sums.
class LinearRows {
public:
  explicit LinearRows(arith::Ranges ranges) : ranges_(std::move(ranges)) {}

  int variable(std::string const& name) const { return variables_.at(name); }
  void set(std::string const& name, int variable) { variables_[name] = variable; }

  /// No answer when the expression is not linear in the names, aside from // and % by constants
  /// (shifts and masks that mean them, too), min and max. The row is exact: all that it says of its
  /// new variables is in the system.
  std::optional<LinearRow> row_of(ir::Expr const& e, IntegerSystem& system);
  /// Adds a condition; false when it is not one of <, <=, == between linear expressions (then
  /// nothing is added).
  bool add_condition(ir::Expr const& e, IntegerSystem& system);
  /// Adds the parts of a guard (null: none); false when one was left out.
  bool add_guard(ir::Expr const& guard, IntegerSystem& system);

private:
  std::optional<LinearRow> term_row(ir::Expr const& e, IntegerSystem& system);
  std::optional<LinearRow> binary_row(ir::Binary const& node, IntegerSystem& system);
  std::optional<LinearRow> divided(ir::Expr const& e, int64_t divisor, bool remainder,
                                   IntegerSystem& system);
  std::optional<int> quotient_of(ir::Expr const& e, LinearRow const& number, int64_t divisor,
                                 IntegerSystem& system);
  std::optional<LinearRow> extreme_of(ir::Binary const& node, IntegerSystem& system);

  arith::Ranges ranges_;
  std::map<std::string, int> variables_;
  std::map<std::pair<std::string, int64_t>, int> quotients_;
  std::map<std::string, int> extremes_;
};

}  // namespace tw
