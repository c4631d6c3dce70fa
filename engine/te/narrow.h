/// Arithmetic on narrow floats (f16, bf16) in f32: what is rounded between two steps is lost.
#pragma once

#include "engine/te/te.h"

namespace tw::te {

bool is_narrow(DType type);

/// Something in the kernel is computed, read or stored in a narrow type.
bool has_narrow(Kernel const& kernel);

/// Changes no value: the result is one of the operands, perhaps with another sign.
bool only_chooses(Expr const& e);

/// What is rounded on purpose.
enum class Conversions : uint8_t {
  kKept,     ///< a conversion from f32 is one that somebody wrote
  kDropped,  ///< it only rounds what the next step takes
};

/// An expression of a narrow type, computed in f32. Conditions stay as they are.
Expr widened(Expr const& e, Conversions conversions);

/// Sums and products of narrow floats in f32, under the name NAME_sum or NAME_prod, and the tensor
/// rounded from them: kept in its own type a sum stops growing as soon as its terms are below half
/// of its last place.
Kernel with_wide_sums(Kernel const& kernel);

}  // namespace tw::te
