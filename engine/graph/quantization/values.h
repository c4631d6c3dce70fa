/// What rewriting a graph between floats and integers needs of its values.
#pragma once

#include <optional>
#include <vector>

#include "engine/graph/rewriter.h"

namespace tw {

/// The exponents of a scale of powers of two; one where all are the same.
std::optional<std::vector<int>> powers_of_two(NDArray const& scale);
/// A matrix of any type.
NDArray transposed(NDArray const& matrix);

}  // namespace tw
