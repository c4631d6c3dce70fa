#include "targets/shared/llvm/angle.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <array>
#include <cmath>
#include <numbers>

namespace tw {
namespace {

using llvm::Value;
using Builder = llvm::IRBuilder<>;

/// Up to here three parts of pi/2 are enough; beyond, its digits are needed where the angle's end.
constexpr double kFar = 1e5;
constexpr char kName[] = "tw.far_quarter_turns";

/// 2/pi = 0.A2F9836E 4E441529 ... in words of 32 bits, after two words of zeros: enough for the
/// largest double. (An integer quotient by pi from Machin's formula gives them.)
constexpr std::array<uint32_t, 40> kTwoOverPi{
    0x00000000, 0x00000000, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041,
    0xFE5163AB, 0xDEBBC561, 0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E,
    0xE88235F5, 0x2EBB4484, 0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B, 0xBDF9283B,
    0x1FF897FF, 0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66, 0x9E5FEA2D,
    0x7527BAC7, 0xEBE5F17B, 0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08, 0x56033046, 0xFC7B6BAB};

llvm::Type* like(Value* x, llvm::Type* scalar) {
  if (auto* v = llvm::dyn_cast<llvm::FixedVectorType>(x->getType()))
    return llvm::FixedVectorType::get(scalar, v->getNumElements());
  return scalar;
}
Value* number(Value* x, double v) {
  return llvm::ConstantFP::get(like(x, x->getType()->getScalarType()), v);
}
Value* minus_product(Builder& b, Value* n, double c, Value* r) {
  return b.CreateIntrinsic(llvm::Intrinsic::fmuladd, {r->getType()}, {n, number(r, -c), r});
}

/// Cody and Waite (Software Manual for the Elementary Functions, 1980): pi/2 in three parts.
QuarterTurns near(Builder& b, Value* x) {
  Value* n = b.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven,
                                    b.CreateFMul(x, number(x, 2 / std::numbers::pi)));
  Value* r = minus_product(b, n, 1.57079632673412561417e+00, x);
  r = minus_product(b, n, 6.07710050630396597660e-11, r);
  r = minus_product(b, n, 2.02226624879595063154e-21, r);
  Value* magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  Value* few = b.CreateSelect(b.CreateFCmpOLE(magnitude, number(x, kFar)), n, number(x, 0));
  return {r, b.CreateFPToSI(few, like(x, b.getInt64Ty()))};
}

/// Limbs of 32 bits in words of 64, the lowest first: no target needs a library for these.
class Limbs {
public:
  explicit Limbs(Builder& builder) : b(builder) {}
  Value* low(Value* v) { return b.CreateAnd(v, b.getInt64(0xFFFFFFFF)); }
  Value* high(Value* v) { return b.CreateLShr(v, b.getInt64(32)); }

  /// 192 bits of 2/pi from a bit on.
  std::array<Value*, 6> window(Value* bit) {
    auto* words = llvm::ConstantDataArray::get(b.getContext(), kTwoOverPi);
    auto* module = b.GetInsertBlock()->getModule();
    auto* table =
        new llvm::GlobalVariable(*module, words->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                 words, "tw.two_over_pi");
    Value* first = b.CreateLShr(bit, b.getInt64(5));
    Value* shift = b.CreateSub(b.getInt64(32), b.CreateAnd(bit, b.getInt64(31)));
    std::array<Value*, 7> read{};
    for (size_t i = 0; i < read.size(); ++i) {
      Value* place = b.CreateGEP(b.getInt32Ty(), table, b.CreateAdd(first, b.getInt64(i)));
      read[i] =
          b.CreateZExt(b.CreateAlignedLoad(b.getInt32Ty(), place, llvm::Align(4)), b.getInt64Ty());
    }
    std::array<Value*, 6> limbs{};
    for (size_t i = 0; i < limbs.size(); ++i) {
      Value* pair = b.CreateOr(b.CreateShl(read[i], b.getInt64(32)), read[i + 1]);
      limbs[5 - i] = low(b.CreateLShr(pair, shift));
    }
    return limbs;
  }

  /// The lowest 192 bits of the product with a number of 53 bits.
  std::array<Value*, 6> product(std::array<Value*, 6> const& w, Value* m) {
    std::array<Value*, 6> by_low{}, by_high{}, result{};
    for (size_t i = 0; i < w.size(); ++i) {
      by_low[i] = b.CreateMul(w[i], low(m));
      by_high[i] = b.CreateMul(w[i], high(m));
    }
    Value* carry = b.getInt64(0);
    for (size_t i = 0; i < w.size(); ++i) {
      Value* sum = b.CreateAdd(carry, low(by_low[i]));
      if (i > 0) sum = b.CreateAdd(sum, b.CreateAdd(high(by_low[i - 1]), low(by_high[i - 1])));
      if (i > 1) sum = b.CreateAdd(sum, high(by_high[i - 2]));
      result[i] = low(sum);
      carry = high(sum);
    }
    return result;
  }

  Value* pair(Value* upper, Value* lower) {
    return b.CreateOr(b.CreateShl(upper, b.getInt64(32)), lower);
  }
  /// Halves are converted by themselves: not every processor converts 64 bits.
  Value* to_double(Value* v, bool is_signed) {
    auto* word = b.getInt32Ty();
    auto* f64 = b.getDoubleTy();
    Value* upper = b.CreateTrunc(high(v), word);
    Value* top = is_signed ? b.CreateSIToFP(upper, f64) : b.CreateUIToFP(upper, f64);
    Value* bottom = b.CreateUIToFP(b.CreateTrunc(v, word), f64);
    return b.CreateFAdd(b.CreateFMul(top, llvm::ConstantFP::get(f64, 0x1p32)), bottom);
  }

private:
  Builder& b;
};

/// Payne and Hanek (Radian reduction for trigonometric functions, 1983). x = m 2^e with a whole m
/// of 53 bits: the bits of 2/pi before bit e - 2 make whole turns, and 192 after them suffice.
void build_far(llvm::Function* function) {
  Builder b(llvm::BasicBlock::Create(function->getContext(), "entry", function));
  Limbs limbs(b);
  Value* x = function->getArg(0);
  Value* bits = b.CreateBitCast(x, b.getInt64Ty());
  Value* exponent = b.CreateAnd(b.CreateLShr(bits, b.getInt64(52)), b.getInt64(0x7FF));
  uint64_t one = uint64_t(1) << 52;
  Value* m = b.CreateOr(b.CreateAnd(bits, b.getInt64(one - 1)), b.getInt64(one));
  // The first bit of the window, with the 64 zeros before the digits.
  Value* bit = b.CreateSub(exponent, b.getInt64(1075 - 62));
  auto turns = limbs.product(limbs.window(bit), m);
  // turns / 2^190 is the angle in quarter turns, below 4.
  Value* top = limbs.pair(turns[5], turns[4]);
  Value* quadrant = b.CreateLShr(b.CreateAdd(top, b.getInt64(uint64_t(1) << 61)), b.getInt64(62));
  Value* rest = b.CreateSub(top, b.CreateShl(quadrant, b.getInt64(62)));
  auto* f64 = b.getDoubleTy();
  auto scaled = [&](Value* v, double by) {
    return b.CreateFMul(v, llvm::ConstantFP::get(f64, by));
  };
  Value* fraction =
      b.CreateFAdd(scaled(limbs.to_double(rest, true), 0x1p-62),
                   scaled(limbs.to_double(limbs.pair(turns[3], turns[2]), false), 0x1p-126));
  Value* angle = scaled(fraction, std::numbers::pi / 2);
  Value* negative = b.CreateICmpSLT(bits, b.getInt64(0));
  angle = b.CreateSelect(negative, b.CreateFNeg(angle), angle);
  quadrant = b.CreateSelect(negative, b.CreateNeg(quadrant), quadrant);
  Value* result = b.CreateInsertValue(llvm::PoisonValue::get(function->getReturnType()), angle, 0);
  b.CreateRet(b.CreateInsertValue(result, quadrant, 1));
}

llvm::Function* far_function(Builder& b) {
  llvm::Function* around = b.GetInsertBlock()->getParent();
  if (llvm::Function* known = around->getParent()->getFunction(kName)) return known;
  auto* result = llvm::StructType::get(b.getContext(), {b.getDoubleTy(), b.getInt64Ty()});
  auto* function =
      llvm::Function::Create(llvm::FunctionType::get(result, {b.getDoubleTy()}, false),
                             llvm::Function::InternalLinkage, kName, around->getParent());
  // Not those of its parameters, which are other ones.
  llvm::AttrBuilder attributes(b.getContext(), around->getAttributes().getFnAttrs());
  function->setAttributes(
      llvm::AttributeList::get(b.getContext(), llvm::AttributeList::FunctionIndex, attributes));
  build_far(function);
  return function;
}

/// Lane by lane, since it is rare. Not of infinities, whose exponent is no one.
QuarterTurns far(Builder& b, Value* x) {
  llvm::Function* function = far_function(b);
  Value* magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  Value* is_far = b.CreateAnd(b.CreateFCmpOGT(magnitude, number(x, kFar)),
                              b.CreateFCmpOLT(magnitude, number(x, HUGE_VAL)));
  Value* safe = b.CreateSelect(is_far, x, number(x, 2 * kFar));
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
  if (!vector) {
    Value* both = b.CreateCall(function, {safe});
    return {b.CreateExtractValue(both, 0), b.CreateExtractValue(both, 1)};
  }
  QuarterTurns all{llvm::PoisonValue::get(x->getType()),
                   llvm::PoisonValue::get(like(x, b.getInt64Ty()))};
  for (uint64_t lane = 0; lane < vector->getNumElements(); ++lane) {
    Value* both = b.CreateCall(function, {b.CreateExtractElement(safe, lane)});
    all.rest = b.CreateInsertElement(all.rest, b.CreateExtractValue(both, 0), lane);
    all.quadrant = b.CreateInsertElement(all.quadrant, b.CreateExtractValue(both, 1), lane);
  }
  return all;
}

}  // namespace

QuarterTurns quarter_turns(Builder& b, Value* x) {
  QuarterTurns close = near(b, x);
  Value* magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  Value* is_far = b.CreateFCmpOGT(magnitude, number(x, kFar));
  Value* any = is_far->getType()->isVectorTy() ? b.CreateOrReduce(is_far) : is_far;
  auto* before = b.GetInsertBlock();
  auto* slow = llvm::BasicBlock::Create(b.getContext(), "", before->getParent());
  auto* end = llvm::BasicBlock::Create(b.getContext(), "", before->getParent());
  b.CreateCondBr(any, slow, end);
  b.SetInsertPoint(slow);
  QuarterTurns distant = far(b, x);
  Value* rest = b.CreateSelect(is_far, distant.rest, close.rest);
  Value* quadrant = b.CreateSelect(is_far, distant.quadrant, close.quadrant);
  b.CreateBr(end);
  b.SetInsertPoint(end);
  auto joined = [&](Value* without, Value* with) {
    auto* phi = b.CreatePHI(without->getType(), 2);
    phi->addIncoming(without, before);
    phi->addIncoming(with, slow);
    return phi;
  };
  Value* all_rest = joined(close.rest, rest);
  Value* all_quadrants = joined(close.quadrant, quadrant);
  Value* endless = b.CreateFCmpUEQ(magnitude, number(x, HUGE_VAL));
  return {b.CreateSelect(endless, number(x, std::nan("")), all_rest), all_quadrants};
}

}  // namespace tw
