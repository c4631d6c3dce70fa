/// Values of a stage's axes, tried one after the other.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/te/te.h"

namespace tw::te {

/// Conditions, and whether each holds, on the way to a part of an expression.
struct Path {
  std::vector<std::pair<Expr, bool>> conditions;
  bool empty() const { return conditions.empty(); }
  Path and_then(Expr const& condition, bool holds) const;
};

struct AxisValues {
  std::vector<std::pair<std::string, int64_t>> axes;
  int64_t result = 0;      ///< of the expression there
  std::string at() const;  ///< " at i=3, k=0"; nothing where no axis is named
};

/// Tried at most: beyond it nothing is known.
inline constexpr int64_t kMostTried = 1 << 18;

/// Values of the axes at which the conditions hold and `wanted` is true of the expression, which
/// reads no tensor: the first ones in the axes' order, none, or, with an error, unknown: there are
/// more than kMostTried. A condition that depends on tensors is taken to hold.
std::optional<std::optional<AxisValues>> find_values(Stage const& stage, Expr const& e,
                                                     Path const& path,
                                                     std::function<bool(int64_t)> const& wanted);

}  // namespace tw::te
