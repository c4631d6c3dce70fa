/// What a kernel's products are of.
#pragma once

#include <optional>

#include "engine/te/te.h"

namespace tw::te {

/// Iterations of all loops of a stage.
int64_t points_of(Stage const& stage);

/// The type of the factors of the stage that sums up most products, under casts and choices: `f16`
/// where `f32(A[i, k]) * f32(B[k, j])` is summed up. None: factors differ, or there is no such sum.
std::optional<DType> type_of_factors(Kernel const& kernel);

}  // namespace tw::te
