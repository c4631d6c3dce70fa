/// What operators between floats and bytes share: scales and zero points, one for a tensor or one
/// for each place along an axis.
#pragma once

#include "engine/graph/shared/pointwise.h"

namespace tw::ops {

bool is_byte(DType type);  ///< i8 or u8

/// Operands X, scale and perhaps a zero point: scale and zero point hold one element, or one per
/// place along attribute "axis". Errors: wrong_shapes.
Status check_scales(Attributes const& attributes, Infos inputs);
/// The element of such an operand for the element at `axes`.
ir::Expr load_along(te::Buffer const& operand, Attributes const& attributes,
                    std::vector<te::Axis> const& axes);
/// Calls `f(flat index, index of its scale)` for every element of `x`.
void for_each_scaled(Attributes const& attributes, NDArray const& x, NDArray const& scale,
                     std::function<void(int64_t, int64_t)> const& f);

/// Every value of the type.
NDArray random_bytes(Rng& rng, Shape const& shape, DType type);
/// Scales, one or one per place along a random axis, and perhaps zero points of `type`.
void add_random_scales(Rng& rng, RandomCase& c, DType type);

}  // namespace tw::ops
