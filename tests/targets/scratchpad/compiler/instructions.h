/// The scratchpad machine's instructions.
#pragma once

#include "engine/ir/intrinsic.h"
#include "engine/target/target.h"

namespace tw::scratchpad {

inline constexpr int64_t kUnit = 4;  ///< rows and columns of the small matrix unit

/// `gemm`: 16 x 16 elements are added up in the pad, of operands in the unit's own memories; `mma`:
/// 4 x 4, all of them in the pad. `load` and `store` copy rows between main memory and the others,
/// and `clear` fills rows with zeros; `copy_f32` and `copy_i32` move a run at once.
std::vector<TensorIntrinsic> instructions();
/// What tiles `gemm` and `mma` take is a register of the unit, which this sets.
ir::Intrinsic set_tile();

/// "copy_f32"; empty: the machine has no copies of that type.
std::string copy_of(DType type);

/// Ends a group of the loads that were started; waits for groups.
ir::Intrinsic commit_copies();
ir::Intrinsic wait_copies();

}  // namespace tw::scratchpad
