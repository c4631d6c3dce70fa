/// Inverse trigonometric functions as expressions.
#pragma once

#include "engine/graph/shared/elements.h"

namespace tw::ops {

/// Error at most 2e-7 of the result, whatever the type.
ir::Expr arc_tangent(ir::Expr x);
/// By the arc tangent; NaN outside of [-1, 1].
ir::Expr arc_sine(ir::Expr x);

/// One operand of elements in (-1, 1).
RandomCase random_sines(Rng& rng);

}  // namespace tw::ops
