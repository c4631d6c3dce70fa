// Everything is computed in double, also for f32: the series then need no compensation and the
// result is right to the last place after rounding. A vector of f32 costs two of f64; where that is
// too slow a schedule's author sees it in the assembly.
#include "targets/shared/llvm/math.h"

#include <llvm/IR/Intrinsics.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "targets/shared/llvm/angle.h"
#include "targets/shared/llvm/power.h"

namespace tw {
namespace {

using llvm::Value;
using Builder = llvm::IRBuilder<>;

llvm::Type* like(Value* x, llvm::Type* scalar) {
  if (auto* v = llvm::dyn_cast<llvm::FixedVectorType>(x->getType()))
    return llvm::FixedVectorType::get(scalar, v->getNumElements());
  return scalar;
}
Value* number(Value* x, double v) {
  return llvm::ConstantFP::get(like(x, x->getType()->getScalarType()), v);
}
Value* integer(Builder& b, Value* x, int64_t v) {
  return llvm::ConstantInt::get(like(x, b.getInt64Ty()), uint64_t(v), true);
}
Value* fma(Builder& b, Value* x, Value* y, Value* z) {
  return b.CreateIntrinsic(llvm::Intrinsic::fmuladd, {x->getType()}, {x, y, z});
}

/// c0 + x*(c1 + x*(c2 + ...))
Value* polynomial(Builder& b, Value* x, std::vector<double> const& c) {
  Value* sum = number(x, c.back());
  for (size_t i = c.size() - 1; i-- > 0;) sum = fma(b, sum, x, number(x, c[i]));
  return sum;
}

/// Runs `f` in double and rounds back; by way of f32 to f16, for which few processors have another
/// way, and no library is there to be called.
template <typename F>
Value* in_double(Builder& b, Value* x, F const& f) {
  llvm::Type* type = x->getType();
  if (type->getScalarType()->isDoubleTy()) return f(x);
  Value* result = f(b.CreateFPExt(x, like(x, b.getDoubleTy())));
  return b.CreateFPTrunc(b.CreateFPTrunc(result, like(x, b.getFloatTy())), type);
}

Value* clamp(Builder& b, Value* x, double low, double high) {
  x = b.CreateSelect(b.CreateFCmpOLT(x, number(x, low)), number(x, low), x);
  return b.CreateSelect(b.CreateFCmpOGT(x, number(x, high)), number(x, high), x);
}

/// 2^n for integral n in -1022..1023.
Value* power_of_two(Builder& b, Value* n, Value* like_x) {
  Value* bits = b.CreateShl(b.CreateAdd(n, integer(b, like_x, 1023)), integer(b, like_x, 52));
  return b.CreateBitCast(bits, like_x->getType());
}

/// x = n ln2 + r, |r| <= ln2/2; Taylor of e^r to r^13 (relative error below 1e-17); scaled by 2^n
/// in two steps, so that the result may be denormal or infinite. `more` is added to the exponent,
/// of which x has the first digits.
Value* exp_double(Builder& b, Value* x, Value* more = nullptr) {
  Value* safe = clamp(b, x, -750.0, 750.0);
  Value* n = b.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven,
                                    b.CreateFMul(safe, number(x, std::numbers::log2e)));
  Value* r = fma(b, n, number(x, -6.93147180369123816490e-01), safe);
  r = fma(b, n, number(x, -1.90821492927058770002e-10), r);
  if (more) r = b.CreateFAdd(r, more);
  std::vector<double> taylor;
  double factorial = 1;
  for (int i = 0; i <= 13; ++i) taylor.push_back(1 / (factorial *= i > 1 ? i : 1));
  Value* e = polynomial(b, r, taylor);
  Value* whole = b.CreateFPToSI(b.CreateSelect(b.CreateFCmpUNO(x, x), number(x, 0), n),
                                like(x, b.getInt64Ty()));
  Value* half = b.CreateAShr(whole, integer(b, x, 1));
  e = b.CreateFMul(e, power_of_two(b, half, x));
  e = b.CreateFMul(e, power_of_two(b, b.CreateSub(whole, half), x));
  return b.CreateSelect(b.CreateFCmpUNO(x, x), x, e);
}

/// x = m 2^k with m in [sqrt(1/2), sqrt(2)); log m = 2 atanh(s), s = (m-1)/(m+1), by its series.
Value* log_double(Builder& b, Value* x) {
  Value* tiny = b.CreateFCmpOLT(x, number(x, 2.2250738585072014e-308));
  Value* scaled = b.CreateSelect(tiny, b.CreateFMul(x, number(x, 0x1.0p54)), x);
  Value* bits = b.CreateBitCast(scaled, like(x, b.getInt64Ty()));
  // Adding the bits of 1 - sqrt(1/2) moves the cut of the mantissa to sqrt(1/2).
  Value* shifted = b.CreateAdd(bits, integer(b, x, 0x3FF0000000000000 - 0x3FE6A09E667F3BCD));
  Value* k = b.CreateSub(b.CreateAShr(shifted, integer(b, x, 52)), integer(b, x, 1023));
  Value* mantissa_bits = b.CreateSub(bits, b.CreateShl(k, integer(b, x, 52)));
  Value* m = b.CreateBitCast(mantissa_bits, x->getType());
  Value* exponent = b.CreateSIToFP(k, x->getType());
  exponent = b.CreateSelect(tiny, b.CreateFSub(exponent, number(x, 54)), exponent);
  Value* s = b.CreateFDiv(b.CreateFSub(m, number(x, 1)), b.CreateFAdd(m, number(x, 1)));
  std::vector<double> series;
  for (int i = 0; i <= 11; ++i) series.push_back(2.0 / (2 * i + 1));
  Value* log_m = b.CreateFMul(s, polynomial(b, b.CreateFMul(s, s), series));
  Value* result = fma(b, exponent, number(x, std::numbers::ln2), log_m);
  double infinity = std::numeric_limits<double>::infinity();
  result = b.CreateSelect(b.CreateFCmpOEQ(x, number(x, infinity)), x, result);
  result = b.CreateSelect(b.CreateFCmpOEQ(x, number(x, 0)), number(x, -infinity), result);
  return b.CreateSelect(b.CreateFCmpULT(x, number(x, 0)), number(x, std::nan("")), result);
}

/// sinh(x) / cosh(x) up to 1, by their Taylor series: nothing cancels.
Value* near_tanh(Builder& b, Value* magnitude, Value* square) {
  std::vector<double> sinh_terms, cosh_terms;
  double factorial = 1;
  for (int n = 0; n <= 10; ++n) {
    if (n > 0) factorial *= (2.0 * n - 1) * (2.0 * n);
    cosh_terms.push_back(1 / factorial);
    sinh_terms.push_back(1 / (factorial * (2 * n + 1)));
  }
  Value* over = b.CreateFMul(magnitude, polynomial(b, square, sinh_terms));
  return b.CreateFDiv(over, polynomial(b, square, cosh_terms));
}

/// (1 - e) / (1 + e) with e = exp(-2|x|), which cancels near 0. Rounded to f32 nothing is seen of
/// that from 0.05 on, and below the Taylor series of tanh needs fewer operations.
Value* tanh_double(Builder& b, Value* x, bool is_f64) {
  Value* magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  Value* e = exp_double(b, b.CreateFMul(magnitude, number(x, -2)));
  Value* far = b.CreateFDiv(b.CreateFSub(number(x, 1), e), b.CreateFAdd(number(x, 1), e));
  Value* square = b.CreateFMul(x, x);
  Value* near =
      is_f64 ? near_tanh(b, magnitude, square)
             : b.CreateFMul(magnitude, polynomial(b, square,
                                                  {1, -1.0 / 3, 2.0 / 15, -17.0 / 315, 62.0 / 2835,
                                                   -1382.0 / 155925, 21844.0 / 6081075}));
  Value* is_near = b.CreateFCmpOLT(magnitude, number(x, is_f64 ? 1 : 0.05));
  Value* result = b.CreateSelect(is_near, near, far);
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result, x);
}

/// 1 - exp(-x^2)/(x sqrt(pi)) * continued fraction of 40 terms, evaluated backwards: from 2.5 on.
Value* far_erf(Builder& b, Value* magnitude, Value* exp_of_square) {
  Value* large = b.CreateSelect(b.CreateFCmpOLT(magnitude, number(magnitude, 1)),
                                number(magnitude, 1), magnitude);
  Value* fraction = large;
  for (int n = 40; n >= 1; --n)
    fraction = b.CreateFAdd(large, b.CreateFDiv(number(magnitude, n / 2.0), fraction));
  Value* tail = b.CreateFDiv(
      exp_of_square, b.CreateFMul(fraction, number(magnitude, std::sqrt(std::numbers::pi))));
  return b.CreateFSub(number(magnitude, 1), tail);
}

/// Maclaurin's series: its terms' signs alternate, so that it loses digits as x grows.
Value* alternating_erf(Builder& b, Value* magnitude, Value* square, int terms) {
  std::vector<double> series;
  double factorial = 1;
  for (int n = 0; n <= terms; ++n) {
    if (n > 0) factorial *= n;
    series.push_back((n % 2 ? -1.0 : 1.0) / (factorial * (2 * n + 1)));
  }
  Value* scaled = b.CreateFMul(magnitude, number(magnitude, 2 / std::sqrt(std::numbers::pi)));
  return b.CreateFMul(scaled, polynomial(b, square, series));
}

/// Taylor's series of erf at a centre: y'' = -2x y' gives each coefficient from the two before.
std::vector<double> erf_around(double centre, int terms) {
  long double c = centre;
  std::vector<long double> series{
      std::erf(c), 2 / std::sqrt(std::numbers::pi_v<long double>) * std::exp(-c * c)};
  for (int n = 0; int(series.size()) < terms; ++n)
    series.push_back((-2 * c * (n + 1) * series[size_t(n) + 1] - 2 * n * series[size_t(n)]) /
                     ((n + 2) * (n + 1)));
  return {series.begin(), series.end()};
}

/// From 0.75 to 2.75 by the series at 1, 1.5, 2 and 2.5: what is added to erf there is small, and
/// its rounding smaller still. 20 terms leave 1e-18.
Value* stepwise_erf(Builder& b, Value* magnitude) {
  constexpr double kStep = 0.5;
  constexpr int kTerms = 21;
  std::vector<double> const centres{1, 1.5, 2, 2.5};
  std::vector<std::vector<double>> series;
  for (double centre : centres) series.push_back(erf_around(centre, kTerms));
  auto chosen = [&](auto const& of) {
    Value* one = number(magnitude, of(0));
    for (size_t i = 1; i < centres.size(); ++i) {
      Value* is_further = b.CreateFCmpOGE(magnitude, number(magnitude, centres[i] - kStep / 2));
      one = b.CreateSelect(is_further, number(magnitude, of(i)), one);
    }
    return one;
  };
  Value* from = b.CreateFSub(magnitude, chosen([&](size_t i) { return centres[i]; }));
  Value* sum = chosen([&](size_t i) { return series[i].back(); });
  for (size_t n = kTerms - 1; n-- > 0;)
    sum = fma(b, sum, from, chosen([&](size_t i) { return series[i][n]; }));
  return sum;
}

Value* erf_double(Builder& b, Value* x, bool is_f64) {
  Value* magnitude = clamp(b, b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x), 0, 6);
  Value* square = b.CreateFMul(magnitude, magnitude);
  Value* rounded_off = is_f64 ? rounded_off_square(b, magnitude, square) : nullptr;
  Value* decay = exp_double(b, b.CreateFNeg(square), is_f64 ? b.CreateFNeg(rounded_off) : nullptr);
  Value* near = alternating_erf(b, magnitude, square, is_f64 ? 22 : 40);
  if (is_f64)
    near = b.CreateSelect(b.CreateFCmpOLT(magnitude, number(x, 0.75)), near,
                          stepwise_erf(b, magnitude));
  Value* result = b.CreateSelect(b.CreateFCmpOLT(magnitude, number(x, is_f64 ? 2.75 : 2.5)), near,
                                 far_erf(b, magnitude, decay));
  result = b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result, x);
  return b.CreateSelect(b.CreateFCmpUNO(x, x), x, result);
}

Value* sin_cos_double(Builder& b, Value* x, bool cosine) {
  auto [r, quadrant] = quarter_turns(b, x);
  Value* square = b.CreateFMul(r, r);
  std::vector<double> sine, cosine_series;
  double factorial = 1;
  for (int i = 0; i < 9; ++i) {
    cosine_series.push_back((i % 2 ? -1 : 1) / factorial);
    factorial *= 2 * i + 1;
    sine.push_back((i % 2 ? -1 : 1) / factorial);
    factorial *= 2 * i + 2;
  }
  Value* sin_r = b.CreateFMul(r, polynomial(b, square, sine));
  Value* cos_r = polynomial(b, square, cosine_series);
  if (cosine) quadrant = b.CreateAdd(quadrant, integer(b, x, 1));
  Value* odd = b.CreateICmpNE(b.CreateAnd(quadrant, integer(b, x, 1)), integer(b, x, 0));
  Value* negative = b.CreateICmpNE(b.CreateAnd(quadrant, integer(b, x, 2)), integer(b, x, 0));
  Value* result = b.CreateSelect(odd, cos_r, sin_r);
  result = b.CreateSelect(negative, b.CreateFNeg(result), result);
  // The sine of minus zero is minus zero.
  return cosine ? result : b.CreateSelect(b.CreateFCmpOEQ(x, number(x, 0)), x, result);
}

/// Of f64 the logarithm and its product with y have twice the digits: y may be as large as 745 / ln
/// x, and what is lost there is lost of the result.
Value* power_of_magnitude(Builder& b, Value* magnitude, Value* y, bool is_f64) {
  Value* plain = exp_double(b, b.CreateFMul(y, log_double(b, magnitude)));
  if (!is_f64) return plain;
  Precise exponent = precise_product(b, precise_log(b, magnitude), y);
  Value* result = exp_double(b, exponent.high, exponent.low);
  result = b.CreateSelect(is_ordinary(b, magnitude), result, plain);
  return small_integer_power(b, magnitude, y, result);
}

Value* pow_double(Builder& b, Value* x, Value* y, bool is_f64) {
  Value* magnitude = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  return power_with_sign(b, x, y, power_of_magnitude(b, magnitude, y, is_f64));
}

}  // namespace

Value* emit_exp(Builder& b, Value* x) {
  return in_double(b, x, [&](Value* v) { return exp_double(b, v); });
}
Value* emit_log(Builder& b, Value* x) {
  return in_double(b, x, [&](Value* v) { return log_double(b, v); });
}
Value* emit_tanh(Builder& b, Value* x) {
  bool is_f64 = x->getType()->getScalarType()->isDoubleTy();
  return in_double(b, x, [&](Value* v) { return tanh_double(b, v, is_f64); });
}
Value* emit_erf(Builder& b, Value* x) {
  bool is_f64 = x->getType()->getScalarType()->isDoubleTy();
  return in_double(b, x, [&](Value* v) { return erf_double(b, v, is_f64); });
}
Value* emit_sin_cos(Builder& b, Value* x, bool cosine) {
  return in_double(b, x, [&](Value* v) { return sin_cos_double(b, v, cosine); });
}
Value* emit_pow(Builder& b, Value* x, Value* y) {
  return in_double(b, x, [&](Value* v) {
    bool is_f64 = v->getType() == y->getType();
    return pow_double(b, v, is_f64 ? y : b.CreateFPExt(y, v->getType()), is_f64);
  });
}

}  // namespace tw
