/// The scratchpad machine's two instructions, and the pass that finds where they fit.
#pragma once

#include "engine/ir/intrinsic.h"
#include "engine/lowering/pipeline.h"

namespace tw::scratchpad {

inline constexpr int64_t kUnit = 4;  ///< rows and columns of the matrix unit

/// A run of elements from one tensor to another, of one type.
ir::Intrinsic copy_instruction(DType type);
/// C[4, 4] += A[4, 4] * B[4, 4], all of them in the pad.
ir::Intrinsic product_instruction();

/// Innermost loops that only copy become copies; nests of 4 x 4 x 4 that multiply and add in the
/// pad become products.
Pass use_instructions();

}  // namespace tw::scratchpad
