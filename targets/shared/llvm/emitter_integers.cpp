// What integers do: division that rounds down, shifts without undefined places, the rest as it is.
#include <llvm/IR/Intrinsics.h>

#include "engine/ir/expr.h"
#include "engine/support/base/kernel_codes.h"
#include "targets/shared/llvm/emitter.h"

namespace tw {

using namespace ir;
using llvm::Value;

namespace {

/// The constant that it is, or that each of its lanes is; null: it is none.
llvm::ConstantInt* same_in_all_lanes(Value* v) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(v);
  if (constant && v->getType()->isVectorTy()) constant = constant->getSplatValue();
  return constant ? llvm::dyn_cast<llvm::ConstantInt>(constant) : nullptr;
}

/// Processors trap where the quotient has no place, the least number by -1: that is a negation.
Value* quotient_towards_zero(llvm::IRBuilder<>& builder, Value* a, Value* b) {
  if (auto* known = same_in_all_lanes(b); known && !known->isMinusOne())
    return builder.CreateSDiv(a, b);
  Value* one = llvm::ConstantInt::get(b->getType(), 1);
  Value* turned = builder.CreateICmpEQ(b, llvm::Constant::getAllOnesValue(b->getType()));
  Value* divided = builder.CreateSDiv(a, builder.CreateSelect(turned, one, b));
  return builder.CreateSelect(turned, builder.CreateNeg(a), divided);
}

}  // namespace

/// Leaves the function where somebody wants the quotient of a zero: a division by zero means
/// nothing to LLVM, and of what computes it whatever is convenient would be left. Where nobody
/// wants it, one is divided by. (Not wherever nobody wants it: of constants behind such a choice
/// LLVM 19 takes a zero in one lane for the proof that all lanes are the other one.)
Value* Emitter::wanted_divisor(Value* b) {
  auto* known = same_in_all_lanes(b);
  if (known && !known->isZero()) return b;
  Value* is_zero = builder_.CreateICmpEQ(b, llvm::Constant::getNullValue(b->getType()));
  if (!mask_) return leave_where(is_zero), b;
  Value* wanted = b->getType()->isVectorTy() ? mask_ : builder_.CreateOrReduce(mask_);
  leave_where(builder_.CreateAnd(is_zero, wanted));
  Value* idle = builder_.CreateAnd(is_zero, builder_.CreateNot(wanted));
  return builder_.CreateSelect(idle, llvm::ConstantInt::get(b->getType(), 1), b);
}

/// With the code of a division by zero, where it holds for a lane.
void Emitter::leave_where(Value* divided_by_zero) {
  if (divided_by_zero->getType()->isVectorTy())
    divided_by_zero = builder_.CreateOrReduce(divided_by_zero);
  auto* leave = llvm::BasicBlock::Create(context_, "", function_);
  auto* go_on = llvm::BasicBlock::Create(context_, "", function_);
  builder_.CreateCondBr(divided_by_zero, leave, go_on);
  builder_.SetInsertPoint(leave);
  if (parts_.device) {
    builder_.CreateStore(builder_.getInt32(1), parts_.device->fault);
    builder_.CreateRetVoid();
  } else {
    builder_.CreateRet(builder_.getInt32(uint32_t(kDividedByZero)));
  }
  builder_.SetInsertPoint(go_on);
}

Value* Emitter::floor_division(Value* a, Value* b, bool want_remainder) {
  Value* quotient = quotient_towards_zero(builder_, a, b);
  Value* remainder = builder_.CreateSub(a, builder_.CreateMul(quotient, b));
  Value* zero = llvm::Constant::getNullValue(a->getType());
  Value* wrong = builder_.CreateAnd(builder_.CreateICmpNE(remainder, zero),
                                    builder_.CreateICmpSLT(builder_.CreateXor(remainder, b), zero));
  if (want_remainder)
    return builder_.CreateSelect(wrong, builder_.CreateAdd(remainder, b), remainder);
  return builder_.CreateSub(quotient, builder_.CreateZExt(wrong, a->getType()));
}

Value* Emitter::integer_binary(BinaryOp op, Value* a, Value* b, bool sign) {
  switch (op) {
    case BinaryOp::kAdd:
      return builder_.CreateAdd(a, b);
    case BinaryOp::kSub:
      return builder_.CreateSub(a, b);
    case BinaryOp::kMul:
      return builder_.CreateMul(a, b);
    case BinaryOp::kFloorDiv:
      return sign ? floor_division(a, b, false) : builder_.CreateUDiv(a, b);
    case BinaryOp::kFloorMod:
      return sign ? floor_division(a, b, true) : builder_.CreateURem(a, b);
    case BinaryOp::kMin:
      return builder_.CreateBinaryIntrinsic(sign ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, a,
                                            b);
    case BinaryOp::kMax:
      return builder_.CreateBinaryIntrinsic(sign ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, a,
                                            b);
    case BinaryOp::kLt:
      return sign ? builder_.CreateICmpSLT(a, b) : builder_.CreateICmpULT(a, b);
    case BinaryOp::kLe:
      return sign ? builder_.CreateICmpSLE(a, b) : builder_.CreateICmpULE(a, b);
    case BinaryOp::kEq:
      return builder_.CreateICmpEQ(a, b);
    case BinaryOp::kNe:
      return builder_.CreateICmpNE(a, b);
    case BinaryOp::kAnd:
    case BinaryOp::kBitAnd:
      return builder_.CreateAnd(a, b);
    case BinaryOp::kOr:
    case BinaryOp::kBitOr:
      return builder_.CreateOr(a, b);
    case BinaryOp::kBitXor:
      return builder_.CreateXor(a, b);
    case BinaryOp::kShiftLeft:
    case BinaryOp::kShiftRight:
      return shift(op, a, b, sign);
    case BinaryOp::kDiv:
    case BinaryOp::kPow:
    case BinaryOp::kFmod:
      break;
  }
  fail("unsupported_expression", "this operator does not take integers");
  return a;
}

/// LLVM's shifts are poison for places outside of the width: there all bits have left.
Value* Emitter::shift(BinaryOp op, Value* a, Value* b, bool sign) {
  llvm::Type* type = a->getType();
  Value* inside =
      builder_.CreateICmpULT(b, llvm::ConstantInt::get(type, type->getScalarSizeInBits()));
  if (op == BinaryOp::kShiftRight && sign) {
    Value* most = llvm::ConstantInt::get(type, type->getScalarSizeInBits() - 1);
    return builder_.CreateAShr(a, builder_.CreateSelect(inside, b, most));
  }
  Value* zero = llvm::Constant::getNullValue(type);
  Value* places = builder_.CreateSelect(inside, b, zero);
  Value* moved =
      op == BinaryOp::kShiftLeft ? builder_.CreateShl(a, places) : builder_.CreateLShr(a, places);
  return builder_.CreateSelect(inside, moved, zero);
}

}  // namespace tw
