/// What may be computed although no condition asks for it.
#pragma once

#include "engine/ir/handles.h"

namespace tw::ir {

bool reads_tensor(Expr const& e);

/// No part divides by what may be zero: an integer's divisor is a constant other than zero.
bool divides_safely(Expr const& e);

/// Has a value wherever it is computed: it reads no tensor, and no part divides by what may be
/// zero. Anything else stays behind the condition that it stands under.
bool safe_to_speculate(Expr const& e);

}  // namespace tw::ir
