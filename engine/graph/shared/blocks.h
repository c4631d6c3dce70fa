/// One axis of a tensor in blocks of b: A x C x rest as A x C/b x rest x b, so that b neighbours
/// along it lie side by side.
#pragma once

#include "engine/tensor/ndarray.h"

namespace tw::ops {

/// `axis` must exist and `block` divide its extent.
Shape blocked_shape(Shape plain, size_t axis, int64_t block);
/// The shape whose blocked one it is; block 0: `blocked` itself. Errors: wrong_shapes when its last
/// extent is not the block's.
Result<Shape> unblocked_shape(Shape blocked, size_t axis, int64_t block);

/// The elements in the other order. Errors: those of `NDArray::create`, wrong_shapes.
Result<NDArray> in_blocks(NDArray const& plain, size_t axis, int64_t block);
Result<NDArray> out_of_blocks(NDArray const& blocked, size_t axis, int64_t block);

}  // namespace tw::ops
