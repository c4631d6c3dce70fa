/// Tensors as rows of other tensors.
#pragma once

#include "engine/support/base/error.h"
#include "engine/tensor/ndarray.h"

namespace tw::ops {

/// The elements at one place of an axis, without that axis.
Result<NDArray> row_of(NDArray const& array, size_t axis, int64_t index);
/// Equal tensors side by side along a new axis. Errors: wrong_shapes, tensor_too_large.
Result<NDArray> stacked(std::vector<NDArray> const& rows, size_t axis, int64_t max_bytes);

}  // namespace tw::ops
