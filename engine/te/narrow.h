/// Arithmetic on narrow floats (f16, bf16) in f32: what is rounded between two steps is lost.
#pragma once

#include "engine/te/te.h"

namespace tw::te {

bool is_narrow(DType type);

/// Changes no value: the result is one of the operands, perhaps with another sign.
bool only_chooses(Expr const& e);

/// Sums and products of narrow floats in f32, under the name NAME_sum or NAME_prod, and the tensor
/// rounded from them: kept in its own type a sum stops growing as soon as its terms are below half
/// of its last place.
Kernel with_wide_sums(Kernel const& kernel);

}  // namespace tw::te
