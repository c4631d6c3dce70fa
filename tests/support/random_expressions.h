/// Random expressions of every type, function and operator as text, and what they are worth: exact
/// arithmetic on whole numbers and on IEEE floats that shares nothing with the product.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/support/base/random.h"
#include "engine/tensor/ndarray.h"

namespace tw::testing {

/// A value of any type. Of a float, how sure it is: a product that is added may be rounded with the
/// sum, functions are a few units off, and nothing is known of what depends on such a float.
struct ExactValue {
  __int128 whole = 0;  ///< of integers and truth values
  double number = 0;   ///< of floats
  bool exact = true;   ///< else within `units` of the last place of `scale`
  bool known = true;
  double units = 0, scale = 0;
};

inline constexpr int64_t kExpressionElements = 24;
inline constexpr DType kExpressionTypes[] = {DType::kI8,  DType::kU8,  DType::kI16, DType::kU16,
                                             DType::kI32, DType::kU32, DType::kI64, DType::kU64,
                                             DType::kF32, DType::kF64, DType::kBool};

inline bool is_signed_type(DType type) {
  return type == DType::kI8 || type == DType::kI16 || type == DType::kI32 || type == DType::kI64;
}
inline int bits_of(DType type) { return int(size_of(type)) * 8; }

/// The number of the type with the same lowest bits.
inline __int128 wrapped(__int128 value, DType type) {
  __int128 range = __int128(1) << bits_of(type);
  __int128 rest = ((value % range) + range) % range;
  return is_signed_type(type) && rest >= range / 2 ? rest - range : rest;
}
inline __int128 floor_quotient(__int128 a, __int128 b) {
  __int128 q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
inline std::string digits(__int128 value) {
  if (value < 0) return "-" + digits(-value);
  std::string text;
  do text.insert(text.begin(), char('0' + int(value % 10)));
  while (value /= 10);
  return text;
}

/// The inputs, one tensor of each type: X_i8, X_u8, ...
struct ExpressionInputs {
  std::vector<NDArray> arrays;

  ExactValue at(DType type, int64_t i) const {
    for (NDArray const& array : arrays) {
      if (array.type() != type) continue;
      ExactValue value;
      if (type == DType::kI64)
        value.whole = array.as<int64_t>()[size_t(i)];
      else if (type == DType::kU64)
        value.whole = __int128(array.as<uint64_t>()[size_t(i)]);
      else if (is_float(type))
        value.number = array.value_at(i);
      else
        value.whole = __int128(array.value_at(i));
      return value;
    }
    return {};
  }
};

inline uint64_t hostile_bits(DType type, Rng& rng) {
  __int128 low = is_signed_type(type) ? -(__int128(1) << (bits_of(type) - 1)) : 0;
  __int128 high = low + (__int128(1) << bits_of(type)) - 1;
  switch (rng.below(6)) {
    case 0:
      return uint64_t(low + rng.below(3));
    case 1:
      return uint64_t(high - rng.below(3));
    case 2:
      return uint64_t(wrapped(rng.between(-3, 12), type));
    case 3:
      return uint64_t(wrapped(__int128(1) << rng.below(bits_of(type)), type));
    default:
      return rng.next();
  }
}

inline double hostile_float(DType type, Rng& rng) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double const tiny = type == DType::kF32 ? 0x1p-140 : 0x1p-1060;
  double const most = type == DType::kF32 ? double(std::numeric_limits<float>::max())
                                          : std::numeric_limits<double>::max();
  switch (rng.below(14)) {
    case 0:
      return 0.0;
    case 1:
      return -0.0;
    case 2:
      return rng.below(2) ? kInfinity : -kInfinity;
    case 3:
      return std::nan("");
    case 4:
      return rng.below(2) ? tiny : -tiny;
    case 5:
      return rng.below(2) ? most : -most;
    case 6:
      return double(float(rng.normal() * 1e9));
    case 7:
      return double(float(std::ldexp(rng.normal(), int(rng.between(-60, 120)))));
    case 8:
      return double(rng.between(-40, 40)) + 0.5;
    default:
      return double(float(double(rng.between(-512, 512)) / 64));
  }
}

inline ExpressionInputs hostile_inputs(Rng& rng) {
  ExpressionInputs inputs;
  for (DType type : kExpressionTypes) {
    NDArray array = NDArray::create(type, {kExpressionElements}).value();
    auto bytes = size_t(size_of(type));
    for (int64_t i = 0; i < array.size(); ++i) {
      if (is_float(type) || type == DType::kBool) {
        array.set_value(i, is_float(type) ? hostile_float(type, rng) : double(rng.below(2)));
        continue;
      }
      uint64_t bits = hostile_bits(type, rng);
      std::memcpy(static_cast<char*>(array.data()) + size_t(i) * bytes, &bits, bytes);
    }
    inputs.arrays.push_back(std::move(array));
  }
  return inputs;
}

/// An expression: its text, and its value for a value of the axis i.
class RandomExpression {
public:
  virtual ~RandomExpression() = default;
  virtual std::string text() const = 0;
  virtual ExactValue value(ExpressionInputs const& inputs, int64_t i) const = 0;
  DType type = DType::kI64;
};
using ExpressionPointer = std::shared_ptr<RandomExpression const>;

/// Made of its text and a function.
template <typename Value>
ExpressionPointer expression_of(DType type, std::string text, Value value) {
  class Made final : public RandomExpression {
  public:
    Made(DType t, std::string s, Value v) : text_(std::move(s)), value_(std::move(v)) { type = t; }
    std::string text() const override { return text_; }
    ExactValue value(ExpressionInputs const& inputs, int64_t i) const override {
      return value_(inputs, i);
    }

  private:
    std::string text_;
    Value value_;
  };
  return std::make_shared<Made const>(type, std::move(text), std::move(value));
}

ExpressionPointer random_expression(DType type, int depth, Rng& rng);
/// One that may use functions at its root, whose results are compared within a few units.
ExpressionPointer random_result(DType type, int depth, Rng& rng);

/// Whether a computed element is right: equal, or near where the value is not exact.
bool agrees(ExactValue const& wanted, NDArray const& made, int64_t i);

}  // namespace tw::testing
