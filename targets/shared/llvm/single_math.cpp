// Polynomials are the best ones in the sense of Chebyshev, by Remez's exchange, for the error
// relative to the function; beside each stands the interval and that error before rounding.
#include "targets/shared/llvm/single_math.h"

#include <llvm/IR/Intrinsics.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <numbers>

#include "targets/shared/llvm/angle.h"
#include "targets/shared/llvm/power.h"

namespace tw {
namespace {

using llvm::Value;
using Builder = llvm::IRBuilder<>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

Value* number(Builder& b, double v) { return llvm::ConstantFP::get(b.getFloatTy(), v); }
Value* fma(Builder& b, Value* x, Value* y, Value* z) {
  return b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
}
Value* magnitude_of(Builder& b, Value* x) {
  return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
}
Value* with_sign_of(Builder& b, Value* magnitude, Value* x) {
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude, x);
}

/// c0 + x*(c1 + x*(c2 + ...))
Value* polynomial(Builder& b, Value* x, std::initializer_list<double> c) {
  auto at = std::rbegin(c);
  Value* sum = number(b, *at);
  for (++at; at != std::rend(c); ++at) sum = fma(b, sum, x, number(b, *at));
  return sum;
}

/// 2^n for whole n in -126..127.
Value* power_of_two(Builder& b, Value* n) {
  Value* bits = b.CreateShl(b.CreateAdd(n, b.getInt32(127)), b.getInt32(23));
  return b.CreateBitCast(bits, b.getFloatTy());
}

/// x + more = n ln2 + r with |r| at most ln2 / 2: e^r times 2^n, in two steps, so that the result
/// may be denormal or infinite. Adding 1.5 * 2^23 leaves a whole number in the lowest bits.
Value* exp_of(Builder& b, Value* x, Value* more = nullptr) {
  constexpr double kLeast = -104, kMost = 89, kRounder = 12582912;
  Value* safe = b.CreateSelect(b.CreateFCmpOLT(x, number(b, kLeast)), number(b, kLeast), x);
  safe = b.CreateSelect(b.CreateFCmpOGT(safe, number(b, kMost)), number(b, kMost), safe);
  Value* shifted = fma(b, safe, number(b, std::numbers::log2e), number(b, kRounder));
  Value* whole = b.CreateSub(b.CreateBitCast(shifted, b.getInt32Ty()), b.getInt32(0x4B400000));
  Value* n = b.CreateFSub(shifted, number(b, kRounder));
  Value* r = fma(b, n, number(b, -0x1.62e43p-1), safe);
  r = fma(b, n, number(b, 0x1.05c61p-29), r);
  if (more) r = b.CreateFAdd(r, more);
  // (e^r - 1 - r) / r^2 for |r| up to ln2 / 2: 3e-9 of e^r.
  Value* p =
      polynomial(b, r, {0.4999999345, 0.1666652063, 0.0416683881, 8.368716853e-3, 1.38145956e-3});
  Value* e = fma(b, b.CreateFMul(r, r), p, r);
  e = b.CreateFAdd(e, number(b, 1));
  Value* half = b.CreateAShr(whole, b.getInt32(1));
  e = b.CreateFMul(e, power_of_two(b, half));
  return b.CreateFMul(e, power_of_two(b, b.CreateSub(whole, half)));
}

/// x = m 2^exponent with m from sqrt(1/2) to sqrt(2); of positive numbers.
struct Split {
  Value* less_one;  // m - 1
  Value* exponent;  // as f32
};
Split split(Builder& b, Value* x) {
  Value* tiny = b.CreateFCmpOLT(x, number(b, 0x1p-126));
  Value* scaled = b.CreateSelect(tiny, b.CreateFMul(x, number(b, 0x1p23)), x);
  Value* bits = b.CreateBitCast(scaled, b.getInt32Ty());
  // Adding the bits of 1 - sqrt(1/2) moves the cut of the mantissa to sqrt(1/2).
  Value* shifted = b.CreateAdd(bits, b.getInt32(0x3F800000 - 0x3F3504F3));
  Value* k = b.CreateSub(b.CreateAShr(shifted, b.getInt32(23)), b.getInt32(127));
  Value* m = b.CreateBitCast(b.CreateSub(bits, b.CreateShl(k, b.getInt32(23))), b.getFloatTy());
  Value* exponent = b.CreateSIToFP(k, b.getFloatTy());
  exponent = b.CreateSelect(tiny, b.CreateFSub(exponent, number(b, 23)), exponent);
  return {b.CreateFSub(m, number(b, 1)), exponent};
}

/// (log(1+f) - f + f^2/2) / f^3 for 1+f from sqrt(1/2) to sqrt(2): 8e-10 of log(1+f).
Value* log_series(Builder& b, Value* f) {
  return polynomial(b, f,
                    {0.333333126, -0.250000096, 0.2000211864, -0.1666799564, 0.1421955251,
                     -0.1240559267, 0.1188816583, -0.116756328, 0.067466093});
}

/// What a logarithm is where it is no ordinary number.
Value* log_at_ends(Builder& b, Value* x, Value* ordinary) {
  Value* v = b.CreateSelect(b.CreateFCmpOEQ(x, number(b, kInfinity)), x, ordinary);
  v = b.CreateSelect(b.CreateFCmpOEQ(x, number(b, 0)), number(b, -kInfinity), v);
  return b.CreateSelect(b.CreateFCmpULT(x, number(b, 0)), number(b, std::nan("")), v);
}

/// log(1+f) = 2 atanh(f / (2+f)) as a sum of two numbers: what the quotient's rounding leaves is
/// added, and the series behind its first term is small.
struct Sum {
  Value *high, *low;
};
Sum log_of_one_and(Builder& b, Value* f, Reciprocal const& reciprocal) {
  Value* divisor = b.CreateFAdd(f, number(b, 2));
  Value* rounded_off = b.CreateFSub(f, b.CreateFSub(divisor, number(b, 2)));
  Value* by = reciprocal(b, divisor);
  Value* guess = b.CreateFMul(f, by);
  Value* left = fma(b, b.CreateFNeg(guess), divisor, f);
  left = b.CreateFMul(fma(b, b.CreateFNeg(guess), rounded_off, left), by);
  Value* s = b.CreateFAdd(guess, left);
  left = b.CreateFAdd(b.CreateFSub(guess, s), left);
  Value* square = b.CreateFMul(s, s);
  Value* series = polynomial(b, square, {2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11});
  Value* low = fma(b, b.CreateFMul(s, square), series, b.CreateFMul(left, number(b, 2)));
  return {b.CreateFMul(s, number(b, 2)), low};
}

/// To 29 digits or so. 0x1.62e4p-1 has 15 digits: its products with exponents are exact.
Sum precise_log_of(Builder& b, Value* x, Reciprocal const& reciprocal) {
  auto [f, k] = split(b, x);
  auto [high, low] = log_of_one_and(b, f, reciprocal);
  Value* first = b.CreateFMul(k, number(b, 0x1.62e4p-1));
  Value* sum = b.CreateFAdd(first, high);
  low = b.CreateFAdd(low, b.CreateFAdd(b.CreateFSub(first, sum), high));
  low = fma(b, k, number(b, std::numbers::ln2 - 0x1.62e4p-1), low);
  Value* all = b.CreateFAdd(sum, low);
  return {log_at_ends(b, x, all), b.CreateFAdd(b.CreateFSub(sum, all), low)};
}

/// x = quadrant * pi/2 + rest; pi/2 in three parts (Cody and Waite, Software Manual for the
/// Elementary Functions, 1980), up to 1e5.
struct Turns {
  Value *rest, *quadrant;  // the last two bits of the quadrant count
};
Turns near_turns(Builder& b, Value* x) {
  constexpr double kRounder = 12582912;
  Value* shifted = fma(b, x, number(b, 2 / std::numbers::pi), number(b, kRounder));
  Value* n = b.CreateFSub(shifted, number(b, kRounder));
  Value* r = fma(b, n, number(b, -0x1.921fb6p+0), x);
  r = fma(b, n, number(b, 0x1.777a5cp-25), r);
  return {fma(b, n, number(b, 0x1.ee59dap-50), r), b.CreateBitCast(shifted, b.getInt32Ty())};
}

/// Behind a branch where it is far, in f64.
Turns turns(Builder& b, Value* x) {
  auto near = near_turns(b, x);
  llvm::Function* function = b.GetInsertBlock()->getParent();
  auto* before = b.GetInsertBlock();
  auto* far = llvm::BasicBlock::Create(b.getContext(), "", function);
  auto* end = llvm::BasicBlock::Create(b.getContext(), "", function);
  b.CreateCondBr(b.CreateFCmpOLE(magnitude_of(b, x), number(b, 1e5)), end, far);
  b.SetInsertPoint(far);
  QuarterTurns wide = quarter_turns(b, b.CreateFPExt(x, b.getDoubleTy()));
  Value* rest = b.CreateFPTrunc(wide.rest, b.getFloatTy());
  Value* quadrant = b.CreateTrunc(wide.quadrant, b.getInt32Ty());
  auto* far_end = b.GetInsertBlock();
  b.CreateBr(end);
  b.SetInsertPoint(end);
  auto joined = [&](Value* one, Value* other) {
    auto* phi = b.CreatePHI(one->getType(), 2);
    phi->addIncoming(one, before);
    phi->addIncoming(other, far_end);
    return phi;
  };
  Value* any_rest = joined(near.rest, rest);
  return {any_rest, joined(near.quadrant, quadrant)};
}

}  // namespace

Value* emit_single_exp(Builder& b, Value* x) { return exp_of(b, x); }

Value* emit_single_log(Builder& b, Value* x) {
  auto [f, k] = split(b, x);
  Value* square = b.CreateFMul(f, f);
  Value* low = b.CreateFMul(b.CreateFMul(f, square), log_series(b, f));
  low = fma(b, k, number(b, std::numbers::ln2 - 0x1.62e43p-1), low);
  low = fma(b, square, number(b, -0.5), low);
  return log_at_ends(b, x, fma(b, k, number(b, 0x1.62e43p-1), b.CreateFAdd(f, low)));
}

Value* emit_single_tanh(Builder& b, Value* x, Reciprocal const& reciprocal) {
  constexpr double kNear = 0.6;
  Value* magnitude = magnitude_of(b, x);
  Value* square = b.CreateFMul(x, x);
  // (tanh(x) - x) / x^3 up to there: 3e-9 of tanh(x).
  Value* series = polynomial(
      b, square, {-0.33333298, 0.1333192412, -0.05378382982, 0.02079597043, -5.895156888e-3});
  Value* near = fma(b, b.CreateFMul(magnitude, square), series, magnitude);
  Value* e = exp_of(b, b.CreateFMul(magnitude, number(b, 2)));
  Value* part = reciprocal(b, b.CreateFAdd(e, number(b, 1)));
  Value* far = fma(b, part, number(b, -2), number(b, 1));
  Value* is_near = b.CreateFCmpOLT(magnitude, number(b, kNear));
  return with_sign_of(b, b.CreateSelect(is_near, near, far), x);
}

Value* emit_single_erf(Builder& b, Value* x) {
  constexpr double kNear = 0.93, kOne = 4;  // erf(4) is 1 in f32
  Value* magnitude = magnitude_of(b, x);
  Value* square = b.CreateFMul(x, x);
  // erf(x) / x - 1 up to there: 6e-10 of erf(x) / x.
  Value* series = polynomial(b, square,
                             {0.1283791664, -0.3761263161, 0.1128366398, -0.02685770446,
                              5.196950927e-3, -8.097693243e-4, 8.185059043e-5});
  Value* near = fma(b, magnitude, series, magnitude);
  Value* t =
      b.CreateSelect(b.CreateFCmpOGT(magnitude, number(b, kOne)), number(b, kOne), magnitude);
  // -log(1 - erf(t)) from there to 4: 2e-9 of erf(t).
  Value* exponent = polynomial(b, t,
                               {2.11320586e-4, 1.127611175, 0.637290477, 0.1038368562, -0.022181361,
                                3.031813377e-3, -1.947770006e-4});
  Value* far = b.CreateFSub(number(b, 1), exp_of(b, b.CreateFNeg(exponent)));
  Value* is_near = b.CreateFCmpOLT(magnitude, number(b, kNear));
  return with_sign_of(b, b.CreateSelect(is_near, near, far), x);
}

Value* emit_single_pow(Builder& b, Value* x, Value* y, Reciprocal const& reciprocal) {
  Sum log = precise_log_of(b, magnitude_of(b, x), reciprocal);
  Value* high = b.CreateFMul(y, log.high);
  Value* low = fma(b, y, log.low, fma(b, y, log.high, b.CreateFNeg(high)));
  // Of what is infinite there are no further digits.
  Value* ordinary = b.CreateFCmpOLT(magnitude_of(b, high), number(b, 1000));
  Value* result = exp_of(b, high, b.CreateSelect(ordinary, low, number(b, 0)));
  return power_with_sign(b, x, y, result);
}

Value* emit_single_sin_cos(Builder& b, Value* x, bool cosine) {
  auto [r, quadrant] = turns(b, x);
  Value* square = b.CreateFMul(r, r);
  // (sin(r) - r) / r^3 and (cos(r) - 1 + r^2/2) / r^4 up to pi/4: 4e-9 and 1e-10.
  Value* sine = polynomial(b, square, {-0.1666665487, 8.332173542e-3, -1.951665573e-4});
  sine = fma(b, b.CreateFMul(r, square), sine, r);
  Value* other = polynomial(b, square, {0.04166664675, -1.388736145e-3, 2.443773009e-5});
  other = fma(b, square, other, number(b, -0.5));
  other = fma(b, square, other, number(b, 1));
  if (cosine) quadrant = b.CreateAdd(quadrant, b.getInt32(1));
  Value* odd = b.CreateICmpNE(b.CreateAnd(quadrant, b.getInt32(1)), b.getInt32(0));
  Value* negative = b.CreateICmpNE(b.CreateAnd(quadrant, b.getInt32(2)), b.getInt32(0));
  Value* result = b.CreateSelect(odd, other, sine);
  result = b.CreateSelect(negative, b.CreateFNeg(result), result);
  // The sine of minus zero is minus zero.
  return cosine ? result : b.CreateSelect(b.CreateFCmpOEQ(x, number(b, 0)), x, result);
}

Value* emit_single(Builder& b, ir::UnaryOp op, Value* x, Reciprocal const& reciprocal) {
  switch (op) {
    case ir::UnaryOp::kExp:
      return emit_single_exp(b, x);
    case ir::UnaryOp::kLog:
      return emit_single_log(b, x);
    case ir::UnaryOp::kTanh:
      return emit_single_tanh(b, x, reciprocal);
    case ir::UnaryOp::kErf:
      return emit_single_erf(b, x);
    case ir::UnaryOp::kSin:
    case ir::UnaryOp::kCos:
      return emit_single_sin_cos(b, x, op == ir::UnaryOp::kCos);
    default:
      return nullptr;
  }
}

}  // namespace tw
