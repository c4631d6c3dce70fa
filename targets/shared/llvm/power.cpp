// Sums and products of doubles without error (Dekker, A floating-point technique for extending the
// available precision, 1971). No instruction is asked for that rounds a product and a sum once.
#include "targets/shared/llvm/power.h"

#include <llvm/IR/Intrinsics.h>

#include <cmath>
#include <limits>
#include <vector>

namespace tw {
namespace {

using llvm::Value;
using Builder = llvm::IRBuilder<>;

Value* number(Value* x, double v) { return llvm::ConstantFP::get(x->getType(), v); }
llvm::Type* integers_like(Builder& b, Value* x) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType());
  llvm::Type* i64 = b.getInt64Ty();
  return vector ? llvm::FixedVectorType::get(i64, vector->getNumElements()) : i64;
}
Value* integer(Builder& b, Value* x, int64_t v) {
  return llvm::ConstantInt::get(integers_like(b, x), uint64_t(v), true);
}
Value* magnitude_of(Builder& b, Value* x) {
  return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
}

Precise exact_sum(Builder& b, Value* x, Value* y) {
  Value* sum = b.CreateFAdd(x, y);
  Value* of_y = b.CreateFSub(sum, x);
  Value* of_x = b.CreateFSub(sum, of_y);
  return {sum, b.CreateFAdd(b.CreateFSub(x, of_x), b.CreateFSub(y, of_y))};
}

/// Halves of 26 bits.
Precise split(Builder& b, Value* x) {
  Value* far = b.CreateFMul(x, number(x, 134217729.0));  // 2^27 + 1
  Value* high = b.CreateFSub(far, b.CreateFSub(far, x));
  return {high, b.CreateFSub(x, high)};
}

Precise exact_product(Builder& b, Value* x, Value* y) {
  Value* product = b.CreateFMul(x, y);
  Precise p = split(b, x), q = split(b, y);
  Value* rest = b.CreateFSub(b.CreateFMul(p.high, q.high), product);
  rest = b.CreateFAdd(rest, b.CreateFMul(p.high, q.low));
  rest = b.CreateFAdd(rest, b.CreateFMul(p.low, q.high));
  return {product, b.CreateFAdd(rest, b.CreateFMul(p.low, q.low))};
}

Precise product(Builder& b, Precise const& x, Precise const& y) {
  Precise p = exact_product(b, x.high, y.high);
  Value* cross = b.CreateFAdd(b.CreateFMul(x.high, y.low), b.CreateFMul(x.low, y.high));
  return exact_sum(b, p.high, b.CreateFAdd(p.low, cross));
}

Precise sum(Builder& b, Precise const& x, Precise const& y) {
  Precise s = exact_sum(b, x.high, y.high);
  return exact_sum(b, s.high, b.CreateFAdd(s.low, b.CreateFAdd(x.low, y.low)));
}

Precise constant(Value* x, double high, double low) { return {number(x, high), number(x, low)}; }

/// (m - 1) / (m + 1) for m from 0.7 to 1.5: m - 1 is exact.
Precise ratio(Builder& b, Value* m) {
  Value* above = b.CreateFSub(m, number(m, 1));
  Precise below = exact_sum(b, m, number(m, 1));
  Value* first = b.CreateFDiv(above, below.high);
  Precise back = exact_product(b, first, below.high);
  Value* rest = b.CreateFSub(b.CreateFSub(above, back.high), back.low);
  rest = b.CreateFSub(rest, b.CreateFMul(first, below.low));
  return {first, b.CreateFDiv(rest, below.high)};
}

/// 2 atanh(s) = 2s + 2/3 s^3 + 2/5 s^5 + ...: the first two terms need all digits.
Precise log_of_ratio(Builder& b, Precise const& s) {
  Precise square = product(b, s, s), cube = product(b, s, square);
  Precise two_thirds = constant(s.high, 0x1.5555555555555p-1, 0x1.5555555555555p-55);
  std::vector<double> series;
  for (int i = 0; i <= 10; ++i) series.push_back(2.0 / (2 * i + 5));
  Value* rest = number(s.high, series.back());
  for (size_t i = series.size() - 1; i-- > 0;)
    rest = b.CreateFAdd(b.CreateFMul(rest, square.high), number(s.high, series[i]));
  rest = b.CreateFMul(rest, b.CreateFMul(cube.high, square.high));
  Precise twice{b.CreateFMul(s.high, number(s.high, 2)), b.CreateFMul(s.low, number(s.high, 2))};
  Precise third = product(b, cube, two_thirds);
  return sum(b, twice, {third.high, b.CreateFAdd(third.low, rest)});
}

}  // namespace

Value* is_ordinary(Builder& b, Value* x) {
  Value* above = b.CreateFCmpOGT(magnitude_of(b, x), number(x, 0));
  return b.CreateAnd(above, b.CreateFCmpOLT(magnitude_of(b, x), number(x, HUGE_VAL)));
}

/// x = m 2^k with m in [sqrt(1/2), sqrt(2)). The first part of ln 2 has so few digits that k times
/// it is exact.
Precise precise_log(Builder& b, Value* x) {
  Value* tiny = b.CreateFCmpOLT(x, number(x, 2.2250738585072014e-308));
  Value* whole_digits = b.CreateSelect(tiny, b.CreateFMul(x, number(x, 0x1.0p54)), x);
  Value* bits = b.CreateBitCast(whole_digits, integers_like(b, x));
  Value* shifted = b.CreateAdd(bits, integer(b, x, 0x3FF0000000000000 - 0x3FE6A09E667F3BCD));
  Value* k = b.CreateSub(b.CreateAShr(shifted, integer(b, x, 52)), integer(b, x, 1023));
  Value* m = b.CreateBitCast(b.CreateSub(bits, b.CreateShl(k, integer(b, x, 52))), x->getType());
  Value* exponent = b.CreateSIToFP(k, x->getType());
  exponent = b.CreateSelect(tiny, b.CreateFSub(exponent, number(x, 54)), exponent);
  Precise whole = exact_sum(b, b.CreateFMul(exponent, number(x, 6.93147180369123816490e-01)),
                            b.CreateFMul(exponent, number(x, 1.90821492927058770002e-10)));
  return sum(b, whole, log_of_ratio(b, ratio(b, m)));
}

Precise precise_product(Builder& b, Precise const& x, Value* y) {
  constexpr double kMost = 0x1p70;  // times the least logarithm, 2^-53, still beyond every exponent
  Value* most = b.CreateSelect(b.CreateFCmpOGT(y, number(y, kMost)), number(y, kMost), y);
  most = b.CreateSelect(b.CreateFCmpOLT(most, number(y, -kMost)), number(y, -kMost), most);
  Precise p = exact_product(b, x.high, most);
  Precise both = exact_sum(b, p.high, b.CreateFAdd(p.low, b.CreateFMul(x.low, most)));
  // What is beyond every exponent has no digits to add.
  Value* near = b.CreateFCmpOLT(magnitude_of(b, both.high), number(y, 800));
  return {both.high, b.CreateSelect(near, both.low, number(y, 0))};
}

Value* rounded_off_square(Builder& b, Value* x, Value* square) {
  Precise half = split(b, x);
  Value* rest = b.CreateFSub(b.CreateFMul(half.high, half.high), square);
  Value* cross = b.CreateFMul(b.CreateFMul(half.high, half.low), number(x, 2));
  return b.CreateFAdd(b.CreateFAdd(rest, cross), b.CreateFMul(half.low, half.low));
}

Value* small_integer_power(Builder& b, Value* x, Value* y, Value* otherwise) {
  Value* size = magnitude_of(b, y);
  Value* small = b.CreateFCmpOLE(size, number(y, 64));
  Value* whole = b.CreateFCmpOEQ(b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, y), y);
  Value* wanted = b.CreateAnd(small, whole);
  Value* n = b.CreateFPToSI(b.CreateSelect(wanted, size, number(y, 0)), integers_like(b, x));
  Precise power = constant(x, 1, 0), square{x, number(x, 0)};
  for (int bit = 0; bit < 7; ++bit) {
    Value* is_set = b.CreateICmpNE(b.CreateAnd(n, integer(b, x, 1 << bit)), integer(b, x, 0));
    Precise next = product(b, power, square);
    power = {b.CreateSelect(is_set, next.high, power.high),
             b.CreateSelect(is_set, next.low, power.low)};
    if (bit < 6) square = product(b, square, square);
  }
  Value* one_by = b.CreateFDiv(number(x, 1), power.high);
  Precise back = exact_product(b, one_by, power.high);
  Value* rest = b.CreateFSub(b.CreateFSub(b.CreateFSub(number(x, 1), back.high), back.low),
                             b.CreateFMul(one_by, power.low));
  Value* inverse = b.CreateFAdd(one_by, b.CreateFMul(rest, one_by));
  Value* result = b.CreateSelect(b.CreateFCmpOLT(y, number(y, 0)), inverse,
                                 b.CreateFAdd(power.high, power.low));
  // Halves of what is near the ends of the range are no numbers, or lost their digits.
  Value* inside = b.CreateAnd(b.CreateFCmpOGT(power.high, number(x, 0x1p-900)),
                              b.CreateFCmpOLT(power.high, number(x, 0x1p900)));
  return b.CreateSelect(b.CreateAnd(wanted, inside), result, otherwise);
}

Value* power_with_sign(Builder& b, Value* x, Value* y, Value* result) {
  Value* magnitude = magnitude_of(b, x);
  Value* whole = b.CreateFCmpOEQ(b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, y), y);
  Value* half = b.CreateFMul(y, number(y, 0.5));
  Value* odd = b.CreateAnd(
      whole, b.CreateFCmpONE(b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, half), half));
  // The sign of zero counts, too: 1 / -0 is minus infinity.
  llvm::Type* word = x->getType()->getWithNewType(b.getIntNTy(x->getType()->getScalarSizeInBits()));
  Value* sign = b.CreateICmpSLT(b.CreateBitCast(x, word), llvm::Constant::getNullValue(word));
  result = b.CreateSelect(b.CreateAnd(sign, odd), b.CreateFNeg(result), result);
  double infinity = std::numeric_limits<double>::infinity();
  Value* negative = b.CreateAnd(b.CreateFCmpOLT(x, number(x, 0)),
                                b.CreateFCmpOLT(magnitude, number(x, infinity)));
  result =
      b.CreateSelect(b.CreateAnd(negative, b.CreateNot(whole)), number(x, std::nan("")), result);
  // An infinite power of -1 is 1, and any of 1, and the power 0 of anything.
  Value* endless = b.CreateFCmpOEQ(magnitude_of(b, y), number(y, infinity));
  Value* unit = b.CreateAnd(endless, b.CreateFCmpOEQ(magnitude, number(x, 1)));
  Value* one = b.CreateOr(b.CreateFCmpOEQ(y, number(y, 0)), b.CreateFCmpOEQ(x, number(x, 1)));
  one = b.CreateOr(one, unit);
  return b.CreateSelect(one, number(x, 1), result);
}

}  // namespace tw
