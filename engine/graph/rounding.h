/// Operators on narrow floats (f16, bf16) compute in f32 and round once: a sum kept in the narrow
/// type stops growing as soon as its terms are below half of its last place.
#pragma once

#include "engine/graph/computes.h"

namespace tw {

/// What `compute_tensors` makes, with all arithmetic on narrow floats in f32. A tensor that an
/// operator makes on the way stays narrow where nothing is lost by it: padding, maxima. Without
/// narrow operands, or without arithmetic, it is what `compute_tensors` makes.
Result<Tensors> compute_rounding_once(Operator const& op, Attributes const& attributes,
                                      Arrangement const& arrangement,
                                      std::span<te::Buffer const> inputs, std::string const& name);

/// `op.reference` on the operands in f32, its results rounded to `outputs`, where these are narrow.
Result<std::vector<NDArray>> reference_rounding_once(Operator const& op,
                                                     Attributes const& attributes,
                                                     std::span<NDArray const> inputs,
                                                     std::span<TensorInfo const> outputs);

}  // namespace tw
