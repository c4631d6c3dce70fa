/// Where an output element of a resized tensor lies in the input. A scale is a ratio of integers,
/// so places are exact: no rounding moves a nearest element to its neighbour.
#pragma once

#include "engine/graph/shared/elements.h"

namespace tw::ops {

/// Along one axis: output element o lies at (a*o + b) / d of the input.
struct Resampled {
  int64_t in = 1, out = 1;
  int64_t a = 1, b = 0, d = 1;
  bool identity() const { return in == out && a == d && b == 0; }
  ir::Expr numerator(ir::Expr o) const { return o * a + b; }
};

/// Output extents by `sizes`, or by `scales`, of `axes`, in proportion by `policy`. Errors:
/// wrong_shapes, unsupported.
Result<Shape> resized_shape(Attributes const& attributes, Shape const& input);
/// One entry per axis, by attributes `sizes` or `scales`, `coordinates` and `region`.
Result<std::vector<Resampled>> resampled_axes(Attributes const& attributes, Shape const& input);

/// Index of the nearest element under the rule ("round_prefer_floor", "round_prefer_ceil",
/// "floor", "ceil"), inside of the tensor.
ir::Expr nearest_index(Resampled const& axis, std::string const& rule, ir::Expr o);
/// Index of the element `offset` after the one at or before the place; the border repeats.
ir::Expr neighbour_index(Resampled const& axis, ir::Expr o, int64_t offset);
/// The part of the place behind its floor, in [0, 1).
ir::Expr fraction(Resampled const& axis, ir::Expr o, DType type);
/// Whether the place lies inside of the tensor; null where all do.
ir::Expr inside(Resampled const& axis, ir::Expr o);

}  // namespace tw::ops
