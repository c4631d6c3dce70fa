#include "engine/ir/identity_element.h"

#include "engine/support/base/error.h"

namespace tw::ir {

Expr neutral(BinaryOp op, DType type) {
  auto number = [&](int value) {
    return is_float(type) ? float_imm(value, type) : int_imm(value, type);
  };
  if (op == BinaryOp::kAdd) return number(0);
  if (op == BinaryOp::kMul) return number(1);
  if (op == BinaryOp::kMax) return lowest(type);
  TW_ASSERT(op == BinaryOp::kMin, "the operation reduces");
  return highest(type);
}

}  // namespace tw::ir
