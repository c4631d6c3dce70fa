/// What a reduction starts from.
#pragma once

#include "engine/ir/op.h"

namespace tw::ir {

/// The value that changes no other one by the operation, one of add, multiply, max, min: 0, 1, the
/// least and the largest value of the type.
Expr neutral(BinaryOp op, DType type);

}  // namespace tw::ir
