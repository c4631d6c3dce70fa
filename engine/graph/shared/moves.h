/// Operators that move elements without computing with them.
#pragma once

#include "engine/graph/shared/elements.h"

namespace tw::ops {

/// The tensor whose element at a place is the input's element at flat index `from(place)`; `fill`
/// where that is negative, or zero without one. Bytes are copied, so every type keeps its values.
ReferenceResult move_elements(NDArray const& input, Shape const& shape,
                              std::function<int64_t(std::span<int64_t const>)> const& from,
                              NDArray const& fill = {});

/// One stage of the shape, whose element is the input's at `indices(variables of the axes)`.
Tensors move_compute(te::Buffer const& input, Shape const& shape, std::string const& name,
                     std::function<std::vector<ir::Expr>(std::vector<ir::Expr>)> const& indices);

bool is_crd(Attributes const& attributes);
RandomCase random_blocks(Rng& rng, Shape (*whole)(Shape, int64_t block));

}  // namespace tw::ops
