/// How far index expressions reach while some loops run and the others stand still.
#pragma once

#include <optional>
#include <vector>

#include "engine/arith/linear.h"
#include "engine/arith/simplify.h"

namespace tw::arith {

/// still + low ... still + high, where `still` speaks of variables without a range only.
struct IndexBounds {
  Linear still;
  int64_t low = 0, high = 0;
  Linear moving;     ///< of the first expression, with its constant
  bool one = false;  ///< all expressions have the same moving part
};

/// Variables with a range run, all others stand still. No answer when a term speaks of both kinds,
/// the still parts differ, or a bound is not known.
std::optional<IndexBounds> index_bounds_of(std::vector<Expr> const& indices, Ranges const& running);

/// The same where the still parts may differ, by differences that the ranges of what stands still
/// bound: `still` is that of the first expression.
std::optional<IndexBounds> index_bounds_of(std::vector<Expr> const& indices, Ranges const& running,
                                           Ranges const& standing);

}  // namespace tw::arith
