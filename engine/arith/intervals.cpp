#include "engine/arith/intervals.h"

#include <algorithm>
#include <utility>

#include "engine/ir/bits.h"
#include "engine/support/base/error.h"

namespace tw::arith {
namespace {

using namespace ir;
using Wide = __int128;

constexpr WideInterval kTruth{0, 1};
constexpr WideInterval kNothing{1, 0};

Wide floor_quotient(Wide a, Wide b) {
  Wide q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

/// Far outside of every type where it leaves 128 bits.
Wide product(Wide a, Wide b) {
  Wide result = 0;
  if (!__builtin_mul_overflow(a, b, &result)) return result;
  constexpr Wide kBeyond = Wide(1) << 126;
  return (a < 0) == (b < 0) ? kBeyond : -kBeyond;
}

template <typename Operation>
WideInterval corners(WideInterval const& a, WideInterval const& b, Operation of) {
  Wide values[] = {of(a.low, b.low), of(a.low, b.high), of(a.high, b.low), of(a.high, b.high)};
  auto [low, high] = std::minmax_element(std::begin(values), std::end(values));
  return {*low, *high};
}

/// The part of the divisors on one side of zero: there a quotient moves one way with each operand.
WideInterval positive(WideInterval const& b) { return {std::max<Wide>(b.low, 1), b.high}; }
WideInterval negative(WideInterval const& b) { return {b.low, std::min<Wide>(b.high, -1)}; }

WideInterval quotients(WideInterval const& a, WideInterval const& b) {
  WideInterval all = kNothing;
  for (WideInterval const& side : {positive(b), negative(b)})
    if (!side.empty()) all = hull(all, corners(a, side, floor_quotient));
  return all;
}

/// A remainder has its divisor's sign and is smaller; of one quotient it moves with its operand.
WideInterval remainders(WideInterval const& a, WideInterval const& b) {
  if (b.is_point() && b.low != 0) {
    Wide first = floor_quotient(a.low, b.low);
    if (first == floor_quotient(a.high, b.low))
      return {a.low - first * b.low, a.high - first * b.low};
  }
  WideInterval all = kNothing;
  if (WideInterval divisors = positive(b); !divisors.empty())
    all = hull(all, {0, a.low >= 0 ? std::min(divisors.high - 1, a.high) : divisors.high - 1});
  if (WideInterval divisors = negative(b); !divisors.empty())
    all = hull(all, {divisors.low + 1, 0});
  return all;
}

/// The least 2^n - 1 that is not below a number from zero on.
Wide ones_above(Wide value) {
  Wide ones = 0;
  while (ones < value) ones = ones * 2 + 1;
  return ones;
}

/// All numbers of as many bits, with their sign, as both operands have.
WideInterval same_width(WideInterval const& a, WideInterval const& b) {
  Wide ones = ones_above(std::max({a.high, b.high, -(a.low + 1), -(b.low + 1), Wide(0)}));
  return {-ones - 1, ones};
}

WideInterval common_bits(WideInterval const& a, WideInterval const& b) {
  bool whole_a = a.low >= 0, whole_b = b.low >= 0;
  if (whole_a && whole_b) return {0, std::min(a.high, b.high)};
  if (whole_a || whole_b) return {0, whole_a ? a.high : b.high};
  return same_width(a, b);
}

WideInterval either_bits(BinaryOp op, WideInterval const& a, WideInterval const& b) {
  if (a.low < 0 || b.low < 0) return same_width(a, b);
  return {op == BinaryOp::kBitOr ? std::max(a.low, b.low) : 0,
          ones_above(std::max(a.high, b.high))};
}

/// Places from 0 to the type's bits; those outside move everything out, as all of the bits do.
WideInterval places(DType type, WideInterval const& b) {
  Wide bits = size_of(type) * 8;
  bool outside = b.low < 0 || b.high > bits;
  return {b.low < 0 ? (b.high < 0 ? bits : 0) : std::min(b.low, bits), outside ? bits : b.high};
}

WideInterval shifted(BinaryOp op, DType type, WideInterval const& a, WideInterval const& b) {
  WideInterval by = places(type, b);
  if (op == BinaryOp::kShiftRight)
    return corners(a, by, [](Wide x, Wide n) { return x >> int(n); });
  Wide bits = size_of(type) * 8;
  WideInterval inside{by.low, std::min(by.high, bits - 1)};
  WideInterval moved = by.high >= bits ? WideInterval{0, 0} : kNothing;
  if (inside.empty()) return moved;
  return hull(moved,
              corners(a, inside, [](Wide x, Wide n) { return product(x, Wide(1) << int(n)); }));
}

}  // namespace

WideInterval values_of(DType type) {
  TW_ASSERT(!is_float(type), "only integers and bools have an interval");
  if (type == DType::kBool) return kTruth;
  Wide ones = (Wide(1) << (size_of(type) * 8 - (is_signed(type) ? 1 : 0))) - 1;
  return {is_signed(type) ? -ones - 1 : 0, ones};
}

bool within(WideInterval const& inner, WideInterval const& outer) {
  return outer.low <= inner.low && inner.high <= outer.high;
}

WideInterval hull(WideInterval const& a, WideInterval const& b) {
  if (a.empty() || b.empty()) return a.empty() ? b : a;
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

WideInterval intersection(WideInterval const& a, WideInterval const& b) {
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}

WideInterval interval_of(BinaryOp op, DType type, WideInterval const& a, WideInterval const& b) {
  if (a.empty() || b.empty()) return kNothing;
  switch (op) {
    case BinaryOp::kAdd:
      return {a.low + b.low, a.high + b.high};
    case BinaryOp::kSub:
      return {a.low - b.high, a.high - b.low};
    case BinaryOp::kMul:
      return corners(a, b, product);
    case BinaryOp::kFloorDiv:
      return quotients(a, b);
    case BinaryOp::kFloorMod:
      return remainders(a, b);
    case BinaryOp::kMin:
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case BinaryOp::kMax:
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case BinaryOp::kLt:
      return a.high < b.low ? WideInterval{1, 1} : a.low >= b.high ? WideInterval{0, 0} : kTruth;
    case BinaryOp::kLe:
      return a.high <= b.low ? WideInterval{1, 1} : a.low > b.high ? WideInterval{0, 0} : kTruth;
    case BinaryOp::kEq:
    case BinaryOp::kNe:
    case BinaryOp::kAnd:
    case BinaryOp::kOr:
      return kTruth;
    case BinaryOp::kBitAnd:
      return common_bits(a, b);
    case BinaryOp::kBitOr:
    case BinaryOp::kBitXor:
      return either_bits(op, a, b);
    case BinaryOp::kShiftLeft:
    case BinaryOp::kShiftRight:
      return shifted(op, type, a, b);
    case BinaryOp::kDiv:
    case BinaryOp::kPow:
    case BinaryOp::kFmod:
      break;
  }
  TW_ASSERT(false, "an operator of floats has no interval");
  std::unreachable();
}

WideInterval interval_of(UnaryOp op, DType type, WideInterval const& a) {
  switch (op) {
    case UnaryOp::kNeg:
      return {-a.high, -a.low};
    case UnaryOp::kNot:
      return kTruth;
    case UnaryOp::kAbs:
      if (a.low >= 0) return a;
      return {a.high < 0 ? -a.high : 0, std::max(-a.low, a.high)};
    case UnaryOp::kFloor:
    case UnaryOp::kCeil:
    case UnaryOp::kRound:
      return a;
    case UnaryOp::kBitNot:  // ~x is -x - 1, and of an unsigned type all ones - x
      return is_signed(type)
                 ? WideInterval{-a.high - 1, -a.low - 1}
                 : WideInterval{values_of(type).high - a.high, values_of(type).high - a.low};
    case UnaryOp::kPopCount:
      return {0, size_of(type) * 8};
    case UnaryOp::kExp:
    case UnaryOp::kLog:
    case UnaryOp::kSqrt:
    case UnaryOp::kTanh:
    case UnaryOp::kErf:
    case UnaryOp::kSin:
    case UnaryOp::kCos:
      break;
  }
  TW_ASSERT(false, "a function of floats has no interval");
  std::unreachable();
}

}  // namespace tw::arith
