#include "targets/shared/llvm/remainder.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <cmath>

namespace tw {
namespace {

using llvm::Value;
using Builder = llvm::IRBuilder<>;

constexpr char kName[] = "tw.fmod";
constexpr int kDigits = 52;  ///< of a double's fraction
constexpr uint64_t kOne = uint64_t(1) << kDigits;

/// A double's size as mantissa * 2^exponent, with the mantissa's bit 52 set; of 0 none is.
struct Parts {
  Value* mantissa;
  Value* exponent;
};

/// Moves the mantissa's first bit to place 52.
Parts normalized(Builder& b, Value* mantissa, Value* exponent) {
  Value* zeros =
      b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, mantissa, b.getInt1(false));  // 64 of 0
  Value* shift = b.CreateSub(zeros, b.getInt64(63 - kDigits));
  return {b.CreateShl(mantissa, shift), b.CreateSub(exponent, shift)};
}

Parts parts_of(Builder& b, Value* bits) {
  Value* exponent = b.CreateLShr(bits, b.getInt64(kDigits));
  Value* fraction = b.CreateAnd(bits, b.getInt64(kOne - 1));
  Parts small = normalized(b, fraction, b.getInt64(1));
  Value* subnormal = b.CreateICmpEQ(exponent, b.getInt64(0));
  return {b.CreateSelect(subnormal, small.mantissa, b.CreateOr(fraction, b.getInt64(kOne))),
          b.CreateSelect(subnormal, small.exponent, exponent)};
}

Value* less_if_larger(Builder& b, Value* a, Value* by) {
  return b.CreateSelect(b.CreateICmpUGE(a, by), b.CreateSub(a, by), a);
}

/// Long division bit by bit, which leaves the remainder in a's place.
Parts divided(Builder& b, llvm::Function* function, Parts a, Parts by) {
  auto* before = b.GetInsertBlock();
  auto* loop = llvm::BasicBlock::Create(b.getContext(), "digit", function);
  auto* end = llvm::BasicBlock::Create(b.getContext(), "end", function);
  b.CreateCondBr(b.CreateICmpSGT(a.exponent, by.exponent), loop, end);
  b.SetInsertPoint(loop);
  auto* rest = b.CreatePHI(b.getInt64Ty(), 2);
  auto* exponent = b.CreatePHI(b.getInt64Ty(), 2);
  Value* next = b.CreateShl(less_if_larger(b, rest, by.mantissa), b.getInt64(1));
  Value* lower = b.CreateSub(exponent, b.getInt64(1));
  rest->addIncoming(a.mantissa, before), rest->addIncoming(next, loop);
  exponent->addIncoming(a.exponent, before), exponent->addIncoming(lower, loop);
  b.CreateCondBr(b.CreateICmpSGT(lower, by.exponent), loop, end);
  b.SetInsertPoint(end);
  auto* left = b.CreatePHI(b.getInt64Ty(), 2);
  left->addIncoming(a.mantissa, before), left->addIncoming(next, loop);
  // The first of both exponents is the lower one: whoever asks has a >= b.
  return {less_if_larger(b, left, by.mantissa), by.exponent};
}

/// The bits of mantissa * 2^exponent, which is a double.
Value* joined(Builder& b, Parts parts) {
  Parts high = normalized(b, parts.mantissa, parts.exponent);
  Value* normal = b.CreateAdd(b.CreateSub(high.mantissa, b.getInt64(kOne)),
                              b.CreateShl(high.exponent, b.getInt64(kDigits)));
  Value* places = b.CreateSub(b.getInt64(1), high.exponent);
  Value* is_normal = b.CreateICmpSLE(places, b.getInt64(0));
  Value* shift = b.CreateSelect(is_normal, b.getInt64(0), b.CreateAnd(places, b.getInt64(63)));
  Value* bits = b.CreateSelect(is_normal, normal, b.CreateLShr(high.mantissa, shift));
  return b.CreateSelect(b.CreateICmpEQ(parts.mantissa, b.getInt64(0)), b.getInt64(0), bits);
}

void build(llvm::Function* function) {
  Builder b(llvm::BasicBlock::Create(function->getContext(), "entry", function));
  Value *x = function->getArg(0), *y = function->getArg(1);
  auto size_of = [&](Value* v) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v); };
  auto bits_of = [&](Value* v) { return b.CreateBitCast(v, b.getInt64Ty()); };
  Value *ax = size_of(x), *ay = size_of(y);
  Parts rest = divided(b, function, parts_of(b, bits_of(ax)), parts_of(b, bits_of(ay)));
  Value* size = b.CreateBitCast(joined(b, rest), b.getDoubleTy());
  Value* result = b.CreateSelect(b.CreateFCmpOLT(ax, ay), ax, size);
  result = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result, x);
  auto constant = [&](double v) { return llvm::ConstantFP::get(b.getDoubleTy(), v); };
  Value* known = b.CreateAnd(b.CreateFCmpOLT(ax, constant(HUGE_VAL)),
                             b.CreateFCmpOGT(ay, constant(0)));  // neither is NaN
  b.CreateRet(b.CreateSelect(known, result, constant(std::nan(""))));
}

llvm::Function* fmod_function(Builder& b) {
  llvm::Function* around = b.GetInsertBlock()->getParent();
  if (llvm::Function* known = around->getParent()->getFunction(kName)) return known;
  auto* f64 = b.getDoubleTy();
  auto* function =
      llvm::Function::Create(llvm::FunctionType::get(f64, {f64, f64}, false),
                             llvm::Function::InternalLinkage, kName, around->getParent());
  function->copyAttributesFrom(around);
  function->setLinkage(llvm::Function::InternalLinkage);
  build(function);
  return function;
}

}  // namespace

/// Of f32 in doubles: what is left of two floats is one. Lane by lane, as no processor has it.
Value* emit_fmod(Builder& builder, Value* a, Value* b) {
  llvm::Function* function = fmod_function(builder);
  llvm::Type* scalar = a->getType()->getScalarType();
  auto one = [&](Value* x, Value* y) {
    auto* f64 = builder.getDoubleTy();
    Value* rest =
        builder.CreateCall(function, {builder.CreateFPCast(x, f64), builder.CreateFPCast(y, f64)});
    return builder.CreateFPCast(rest, scalar);
  };
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(a->getType());
  if (!vector) return one(a, b);
  Value* all = llvm::PoisonValue::get(vector);
  for (uint64_t lane = 0; lane < vector->getNumElements(); ++lane) {
    Value* rest = one(builder.CreateExtractElement(a, lane), builder.CreateExtractElement(b, lane));
    all = builder.CreateInsertElement(all, rest, lane);
  }
  return all;
}

}  // namespace tw
