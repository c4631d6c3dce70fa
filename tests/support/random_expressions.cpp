#include "tests/support/random_expressions.h"

#include <array>

namespace tw::testing {
namespace {

ExactValue whole(__int128 value) { return {value}; }
ExactValue unknown() {
  ExactValue value;
  value.known = false;
  return value;
}

double rounded(double value, DType type) {
  return type == DType::kF32 ? double(float(value)) : value;
}

ExactValue number(double value, DType type) {
  ExactValue result;
  result.number = rounded(value, type);
  return result;
}

/// Nothing that decides may rest on a value that is not exact.
bool decides(ExactValue const& value) { return value.known && value.exact; }

std::string name_of(DType type) { return std::string(to_text(type)); }

// ---- leaves ---------------------------------------------------------------------------------

ExpressionPointer literal(DType type, Rng& rng) {
  if (type == DType::kBool) {
    bool value = rng.below(2) != 0;
    return expression_of(type, value ? "true" : "false",
                         [=](ExpressionInputs const&, int64_t) { return whole(value); });
  }
  if (is_float(type)) {
    double value = double(rng.between(-64, 64)) / 8;
    return expression_of(type, fmt::format("({}:{})", fmt::format("{:.4f}", value), name_of(type)),
                         [=](ExpressionInputs const&, int64_t) { return number(value, type); });
  }
  __int128 value = wrapped(__int128(hostile_bits(type, rng)), type);
  if (rng.below(2)) value = wrapped(rng.between(is_signed_type(type) ? -4 : 0, 9), type);
  return expression_of(type, fmt::format("({}:{})", digits(value), name_of(type)),
                       [=](ExpressionInputs const&, int64_t) { return whole(value); });
}

ExpressionPointer element(DType type) {
  return expression_of(
      type, "X_" + name_of(type) + "[i]",
      [=](ExpressionInputs const& inputs, int64_t i) { return inputs.at(type, i); });
}

/// Indices that stay inside of the tensor by themselves, or behind a condition.
ExpressionPointer gathered(DType type, int depth, Rng& rng) {
  ExpressionPointer at = random_expression(DType::kI64, depth, rng);
  constexpr int64_t kLast = kExpressionElements - 1;
  std::string name = "X_" + name_of(type), index = at->text();
  int64_t kind = rng.below(3);
  std::string text = kind == 0   ? fmt::format("{}[max(0, min({}, {}))]", name, index, kLast)
                     : kind == 1 ? fmt::format("{}[{} % {}]", name, index, kExpressionElements)
                                 : fmt::format("select(0 <= {0} && {0} < {1}, {2}[{0}], {2}[i])",
                                               index, kExpressionElements, name);
  return expression_of(type, text, [=](ExpressionInputs const& inputs, int64_t i) {
    ExactValue place = at->value(inputs, i);
    if (!decides(place)) return unknown();
    __int128 k = place.whole;
    if (kind == 0) k = k < 0 ? 0 : k > kLast ? kLast : k;
    if (kind == 1) k = ((k % kExpressionElements) + kExpressionElements) % kExpressionElements;
    bool inside = k >= 0 && k <= kLast;
    return inputs.at(type, inside ? int64_t(k) : i);
  });
}

// ---- integers -------------------------------------------------------------------------------

__int128 shifted(bool left, __int128 a, __int128 places, DType type) {
  bool outside = places < 0 || places >= bits_of(type);
  if (left) return outside ? 0 : wrapped(a * (__int128(1) << int(places)), type);
  return outside ? (a < 0 ? -1 : 0) : floor_quotient(a, __int128(1) << int(places));
}

ExpressionPointer infix(char const* symbol, ExpressionPointer a, ExpressionPointer b, DType result,
                        ExactValue (*of)(ExactValue const&, ExactValue const&, DType)) {
  DType type = a->type;
  return expression_of(result, fmt::format("({} {} {})", a->text(), symbol, b->text()),
                       [=](ExpressionInputs const& inputs, int64_t i) {
                         ExactValue x = a->value(inputs, i), y = b->value(inputs, i);
                         return decides(x) && decides(y) ? of(x, y, type) : unknown();
                       });
}

ExpressionPointer integer_pair(DType type, int depth, Rng& rng) {
  ExpressionPointer a = random_expression(type, depth - 1, rng),
                    b = random_expression(type, depth - 1, rng);
  using V = ExactValue const&;
  switch (rng.below(8)) {
    case 0:
      return infix("+", a, b, type,
                   [](V x, V y, DType t) { return whole(wrapped(x.whole + y.whole, t)); });
    case 1:
      return infix("-", a, b, type,
                   [](V x, V y, DType t) { return whole(wrapped(x.whole - y.whole, t)); });
    case 2:
      return infix("*", a, b, type, [](V x, V y, DType t) {
        // Products of two u64 leave 128 bits: of their halves the upper ones do not matter.
        auto low = uint64_t(x.whole) * uint64_t(y.whole);
        return whole(wrapped(__int128(low), t));
      });
    case 3:
      return infix("&", a, b, type,
                   [](V x, V y, DType t) { return whole(wrapped(x.whole & y.whole, t)); });
    case 4:
      return infix("|", a, b, type,
                   [](V x, V y, DType t) { return whole(wrapped(x.whole | y.whole, t)); });
    case 5:
      return infix("^", a, b, type,
                   [](V x, V y, DType t) { return whole(wrapped(x.whole ^ y.whole, t)); });
    case 6:
      return infix("<<", a, b, type,
                   [](V x, V y, DType t) { return whole(shifted(true, x.whole, y.whole, t)); });
    default:
      return infix(">>", a, b, type,
                   [](V x, V y, DType t) { return whole(shifted(false, x.whole, y.whole, t)); });
  }
}

/// min(a, b) and max(a, b) of integers.
ExpressionPointer integer_extreme(DType type, int depth, Rng& rng) {
  ExpressionPointer a = random_expression(type, depth - 1, rng),
                    b = random_expression(type, depth - 1, rng);
  bool least = rng.below(2) != 0;
  return expression_of(type, fmt::format("{}({}, {})", least ? "min" : "max", a->text(), b->text()),
                       [=](ExpressionInputs const& inputs, int64_t i) {
                         ExactValue x = a->value(inputs, i), y = b->value(inputs, i);
                         if (!decides(x) || !decides(y)) return unknown();
                         return whole((x.whole < y.whole) == least ? x.whole : y.whole);
                       });
}

__int128 divided(bool remainder, __int128 a, __int128 b, DType type) {
  __int128 quotient = floor_quotient(a, b);
  return wrapped(remainder ? a - quotient * b : quotient, type);
}

/// A division behind a condition that keeps its divisor from zero, or by a number.
ExpressionPointer guarded_division(DType type, int depth, Rng& rng) {
  ExpressionPointer a = random_expression(type, depth - 1, rng),
                    b = rng.below(2) ? random_expression(type, depth - 1, rng) : literal(type, rng),
                    otherwise = random_expression(type, depth - 1, rng);
  bool remainder = rng.below(2) != 0;
  char const* symbol = remainder ? "%" : "//";
  std::string zero = "0:" + name_of(type);
  std::string text = rng.below(2) ? fmt::format("select({0} != ({1}), {2} {3} {0}, {4})", b->text(),
                                                zero, a->text(), symbol, otherwise->text())
                                  : fmt::format("select({0} == ({1}), {4}, {2} {3} {0})", b->text(),
                                                zero, a->text(), symbol, otherwise->text());
  return expression_of(type, text, [=](ExpressionInputs const& inputs, int64_t i) {
    ExactValue by = b->value(inputs, i);
    if (!decides(by)) return unknown();
    if (by.whole == 0) return otherwise->value(inputs, i);
    ExactValue x = a->value(inputs, i);
    return decides(x) ? whole(divided(remainder, x.whole, by.whole, type)) : unknown();
  });
}

/// 7 // i behind i != 0: made of the axis alone.
ExpressionPointer divided_by_axis(DType type, Rng& rng) {
  int64_t a = rng.between(-20, 20), from = rng.below(6), otherwise = rng.between(0, 9);
  bool remainder = rng.below(2) != 0;
  std::string text = fmt::format("{}(select(i != {}, {} {} (i - {}), {}))", name_of(type), from, a,
                                 remainder ? "%" : "//", from, otherwise);
  return expression_of(type, text, [=](ExpressionInputs const&, int64_t i) {
    __int128 value = i == from ? otherwise : divided(remainder, a, i - from, DType::kI64);
    return whole(wrapped(value, type));
  });
}

ExpressionPointer integer_function(DType type, int depth, Rng& rng) {
  ExpressionPointer a = random_expression(type, depth - 1, rng);
  int64_t kind = rng.below(5);
  constexpr std::array<char const*, 5> kNames{"neg", "~", "abs", "popcount", "floor"};
  std::string text = kind == 0   ? "(-(" + a->text() + "))"
                     : kind == 1 ? "(~(" + a->text() + "))"
                                 : fmt::format("{}({})", kNames[size_t(kind)], a->text());
  return expression_of(type, text, [=](ExpressionInputs const& inputs, int64_t i) {
    ExactValue x = a->value(inputs, i);
    if (!decides(x)) return unknown();
    if (kind == 0) return whole(wrapped(-x.whole, type));
    if (kind == 1) return whole(wrapped(-x.whole - 1, type));
    if (kind == 2) return whole(wrapped(x.whole < 0 ? -x.whole : x.whole, type));
    if (kind == 4) return x;
    uint64_t bits = uint64_t(x.whole);
    if (bits_of(type) < 64) bits &= (uint64_t(1) << bits_of(type)) - 1;
    return whole(__builtin_popcountll(bits));
  });
}

// ---- conversions ----------------------------------------------------------------------------

__int128 towards_zero(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 0x1p63) return std::numeric_limits<int64_t>::max();
  return value < -0x1p63 ? std::numeric_limits<int64_t>::min() : __int128(int64_t(value));
}

ExactValue as_float(ExactValue const& x, DType from, DType to) {
  if (is_float(from)) return number(x.number, to);
  ExactValue result;
  result.number = to == DType::kF64 ? double(x.whole) : double(float(x.whole));
  return result;
}

ExpressionPointer converted(DType type, int depth, Rng& rng) {
  DType from = kExpressionTypes[rng.below(11)];
  ExpressionPointer a = random_expression(from, depth - 1, rng);
  return expression_of(
      type, fmt::format("{}({})", name_of(type), a->text()),
      [=](ExpressionInputs const& inputs, int64_t i) {
        ExactValue x = a->value(inputs, i);
        if (!decides(x)) return unknown();
        if (is_float(type)) return as_float(x, from, type);
        if (type == DType::kBool) return whole(is_float(from) ? x.number != 0 : x.whole != 0);
        return whole(wrapped(is_float(from) ? towards_zero(x.number) : x.whole, type));
      });
}

ExpressionPointer chosen(DType type, int depth, Rng& rng) {
  ExpressionPointer c = random_expression(DType::kBool, depth - 1, rng),
                    a = random_expression(type, depth - 1, rng),
                    b = random_expression(type, depth - 1, rng);
  return expression_of(type, fmt::format("select({}, {}, {})", c->text(), a->text(), b->text()),
                       [=](ExpressionInputs const& inputs, int64_t i) {
                         ExactValue test = c->value(inputs, i);
                         if (!decides(test)) return unknown();
                         return (test.whole ? a : b)->value(inputs, i);
                       });
}

ExpressionPointer random_integer(DType type, int depth, Rng& rng) {
  if (depth <= 0) return rng.below(3) ? element(type) : literal(type, rng);
  switch (rng.below(12)) {
    case 0:
      return integer_extreme(type, depth, rng);
    case 1:
    case 2:
      return guarded_division(type, depth, rng);
    case 3:
      return divided_by_axis(type, rng);
    case 4:
      return integer_function(type, depth, rng);
    case 5:
    case 6:
      return converted(type, depth, rng);
    case 7:
      return chosen(type, depth, rng);
    case 8:
      return gathered(type, depth - 1, rng);
    default:
      return integer_pair(type, depth, rng);
  }
}

// ---- floats ---------------------------------------------------------------------------------

ExactValue float_operation(char op, ExactValue const& x, ExactValue const& y, DType type,
                           bool may_fuse) {
  double a = x.number, b = y.number;
  double value = op == '+' ? a + b : op == '-' ? a - b : op == '*' ? a * b : a / b;
  ExactValue result = number(value, type);
  if (!may_fuse) return result;
  result.exact = false;
  result.units = 2;
  result.scale = std::max(std::fabs(a), std::fabs(b));
  return result;
}

ExpressionPointer float_pair(DType type, int depth, Rng& rng) {
  ExpressionPointer a = random_expression(type, depth - 1, rng),
                    b = random_expression(type, depth - 1, rng);
  char op = "+-*/"[rng.below(4)];
  // What is added to a product may be rounded with it, here or where the sum is made.
  auto holds_product = [](ExpressionPointer const& e) {
    return e->text().find('*') != std::string::npos;
  };
  bool sums = op == '+' || op == '-';  // compilers of C texts round differences so, too
  bool may_fuse = sums && (holds_product(a) || holds_product(b));
  return expression_of(type, fmt::format("({} {} {})", a->text(), op, b->text()),
                       [=](ExpressionInputs const& inputs, int64_t i) {
                         ExactValue x = a->value(inputs, i), y = b->value(inputs, i);
                         if (!decides(x) || !decides(y)) return unknown();
                         return float_operation(op, x, y, type, may_fuse);
                       });
}

ExpressionPointer float_extreme(DType type, int depth, Rng& rng) {
  ExpressionPointer a = random_expression(type, depth - 1, rng),
                    b = random_expression(type, depth - 1, rng);
  bool least = rng.below(2) != 0;
  return expression_of(type, fmt::format("{}({}, {})", least ? "min" : "max", a->text(), b->text()),
                       [=](ExpressionInputs const& inputs, int64_t i) {
                         ExactValue x = a->value(inputs, i), y = b->value(inputs, i);
                         if (!decides(x) || !decides(y)) return unknown();
                         if (std::isnan(x.number) || std::isnan(y.number)) return number(NAN, type);
                         if (x.number == y.number)  // of two zeros either sign
                           return x.number == 0 ? unknown() : x;
                         return (x.number < y.number) == least ? x : y;
                       });
}

ExpressionPointer float_function(DType type, int depth, Rng& rng) {
  ExpressionPointer a = random_expression(type, depth - 1, rng);
  int64_t kind = rng.below(6);
  constexpr std::array<char const*, 6> kNames{"floor", "ceil", "round", "abs", "sqrt", "neg"};
  std::string text =
      kind == 5 ? "(-(" + a->text() + "))" : fmt::format("{}({})", kNames[size_t(kind)], a->text());
  return expression_of(type, text, [=](ExpressionInputs const& inputs, int64_t i) {
    ExactValue x = a->value(inputs, i);
    if (!decides(x)) return unknown();
    double v = x.number;
    double value = kind == 0   ? std::floor(v)
                   : kind == 1 ? std::ceil(v)
                   : kind == 2 ? std::nearbyint(v)
                   : kind == 3 ? std::fabs(v)
                   : kind == 4 ? std::sqrt(v)
                               : -v;
    return number(value, type);
  });
}

ExpressionPointer random_float(DType type, int depth, Rng& rng) {
  if (depth <= 0) return rng.below(3) ? element(type) : literal(type, rng);
  switch (rng.below(9)) {
    case 0:
      return float_extreme(type, depth, rng);
    case 1:
    case 2:
      return float_function(type, depth, rng);
    case 3:
      return converted(type, depth, rng);
    case 4:
      return chosen(type, depth, rng);
    case 5:
      return gathered(type, depth - 1, rng);
    default:
      return float_pair(type, depth, rng);
  }
}

// ---- conditions -----------------------------------------------------------------------------

int order(ExactValue const& x, ExactValue const& y, DType type) {  // 2: of no order
  if (!is_float(type)) return x.whole < y.whole ? -1 : x.whole > y.whole ? 1 : 0;
  if (std::isnan(x.number) || std::isnan(y.number)) return 2;
  return x.number < y.number ? -1 : x.number > y.number ? 1 : 0;
}

ExpressionPointer comparison(int depth, Rng& rng) {
  DType type = kExpressionTypes[rng.below(10)];
  ExpressionPointer a = random_expression(type, depth - 1, rng),
                    b = rng.below(3) ? random_expression(type, depth - 1, rng) : a;
  constexpr std::array<char const*, 6> kSymbols{"<", "<=", "==", "!=", ">", ">="};
  int64_t kind = rng.below(6);
  return expression_of(DType::kBool,
                       fmt::format("({} {} {})", a->text(), kSymbols[size_t(kind)], b->text()),
                       [=](ExpressionInputs const& inputs, int64_t i) {
                         ExactValue x = a->value(inputs, i), y = b->value(inputs, i);
                         if (!decides(x) || !decides(y)) return unknown();
                         int o = order(x, y, type);
                         bool holds = kind == 0   ? o == -1
                                      : kind == 1 ? o == -1 || o == 0
                                      : kind == 2 ? o == 0
                                      : kind == 3 ? o != 0
                                      : kind == 4 ? o == 1
                                                  : o == 1 || o == 0;
                         return whole(holds);
                       });
}

ExpressionPointer joined(int depth, Rng& rng) {
  ExpressionPointer a = random_expression(DType::kBool, depth - 1, rng),
                    b = random_expression(DType::kBool, depth - 1, rng);
  bool both = rng.below(2) != 0;
  return expression_of(DType::kBool,
                       fmt::format("({} {} {})", a->text(), both ? "&&" : "||", b->text()),
                       [=](ExpressionInputs const& inputs, int64_t i) {
                         ExactValue x = a->value(inputs, i);
                         if (!decides(x)) return unknown();
                         return (x.whole != 0) == both ? b->value(inputs, i) : x;
                       });
}

/// d != 0 && a % d == r: the second one has a value only where the first holds.
ExpressionPointer guarded_test(int depth, Rng& rng) {
  DType type = kExpressionTypes[rng.below(8)];
  ExpressionPointer a = random_expression(type, depth - 1, rng),
                    d = random_expression(type, depth - 1, rng);
  bool both = rng.below(2) != 0;
  std::string zero = "(0:" + name_of(type) + ")";
  std::string text =
      both ? fmt::format("({0} != {1} && {2} % {0} == {1})", d->text(), zero, a->text())
           : fmt::format("({0} == {1} || {2} // {0} != {1})", d->text(), zero, a->text());
  return expression_of(DType::kBool, text, [=](ExpressionInputs const& inputs, int64_t i) {
    ExactValue by = d->value(inputs, i);
    if (!decides(by)) return unknown();
    if (by.whole == 0) return whole(!both);
    ExactValue x = a->value(inputs, i);
    if (!decides(x)) return unknown();
    __int128 made = divided(both, x.whole, by.whole, type);
    return whole(both ? made == 0 : made != 0);
  });
}

ExpressionPointer negated(int depth, Rng& rng) {
  ExpressionPointer a = random_expression(DType::kBool, depth - 1, rng);
  return expression_of(DType::kBool, "not(" + a->text() + ")",
                       [=](ExpressionInputs const& inputs, int64_t i) {
                         ExactValue x = a->value(inputs, i);
                         return decides(x) ? whole(!x.whole) : unknown();
                       });
}

ExpressionPointer random_condition(int depth, Rng& rng) {
  if (depth <= 0) return rng.below(4) ? element(DType::kBool) : literal(DType::kBool, rng);
  switch (rng.below(8)) {
    case 0:
      return joined(depth, rng);
    case 1:
      return guarded_test(depth, rng);
    case 2:
      return negated(depth, rng);
    case 3:
      return converted(DType::kBool, depth, rng);
    default:
      return comparison(depth, rng);
  }
}

// ---- functions at the root ------------------------------------------------------------------

struct NamedFunction {
  char const* name;
  long double (*of)(long double);
  double units;  ///< of f64; f32 is right to one
};
constexpr std::array<NamedFunction, 7> kFunctions{{{"exp", std::exp, 4},
                                                   {"log", std::log, 4},
                                                   {"tanh", std::tanh, 6},
                                                   {"erf", std::erf, 4},
                                                   {"sin", std::sin, 4},
                                                   {"cos", std::cos, 4},
                                                   {"sqrt", std::sqrt, 1}}};

ExactValue near(long double value, DType type, double units) {
  ExactValue result = number(type == DType::kF32 ? double(float(value)) : double(value), type);
  result.exact = !std::isfinite(result.number);
  result.units = type == DType::kF32 ? 2 : units;
  result.scale = std::fabs(result.number);
  return result;
}

ExpressionPointer function(DType type, int depth, Rng& rng) {
  ExpressionPointer a = random_expression(type, depth - 1, rng);
  NamedFunction f = kFunctions[size_t(rng.below(7))];
  return expression_of(type, fmt::format("{}({})", f.name, a->text()),
                       [=](ExpressionInputs const& inputs, int64_t i) {
                         ExactValue x = a->value(inputs, i);
                         return decides(x) ? near(f.of(x.number), type, f.units) : unknown();
                       });
}

ExpressionPointer power(DType type, int depth, Rng& rng) {
  ExpressionPointer a = random_expression(type, depth - 1, rng),
                    b = rng.below(2) ? literal(type, rng) : random_expression(type, depth - 1, rng);
  return expression_of(type, fmt::format("pow({}, {})", a->text(), b->text()),
                       [=](ExpressionInputs const& inputs, int64_t i) {
                         ExactValue x = a->value(inputs, i), y = b->value(inputs, i);
                         if (!decides(x) || !decides(y)) return unknown();
                         return near(std::pow(static_cast<long double>(x.number),
                                              static_cast<long double>(y.number)),
                                     type, 2);
                       });
}

/// Exact, and it jumps: of what is exact alone.
ExpressionPointer remainder(DType type, int depth, Rng& rng) {
  ExpressionPointer a = random_expression(type, depth - 1, rng),
                    b = rng.below(2) ? literal(type, rng) : random_expression(type, depth - 1, rng);
  return expression_of(type, fmt::format("fmod({}, {})", a->text(), b->text()),
                       [=](ExpressionInputs const& inputs, int64_t i) {
                         ExactValue x = a->value(inputs, i), y = b->value(inputs, i);
                         if (!decides(x) || !decides(y)) return unknown();
                         return number(std::fmod(x.number, y.number), type);
                       });
}

double unit_of(double scale, DType type) {
  int exponent = std::ilogb(std::max(scale, type == DType::kF32 ? 0x1p-126 : 0x1p-1022));
  return std::ldexp(1.0, exponent - (type == DType::kF32 ? 23 : 52));
}

}  // namespace

ExpressionPointer random_expression(DType type, int depth, Rng& rng) {
  if (type == DType::kBool) return random_condition(depth, rng);
  return is_float(type) ? random_float(type, depth, rng) : random_integer(type, depth, rng);
}

ExpressionPointer random_result(DType type, int depth, Rng& rng) {
  if (is_float(type) && rng.below(3) == 0) switch (rng.below(5)) {
      case 0:
        return power(type, depth, rng);
      case 1:
        return remainder(type, depth, rng);
      default:
        return function(type, depth, rng);
    }
  return random_expression(type, depth, rng);
}

bool agrees(ExactValue const& wanted, NDArray const& made, int64_t i) {
  if (!wanted.known) return true;
  DType type = made.type();
  if (!is_float(type)) {
    ExpressionInputs one{{made}};
    return one.at(type, i).whole == wanted.whole;
  }
  double value = made.value_at(i);
  if (std::isnan(wanted.number) || std::isnan(value))
    return std::isnan(wanted.number) == std::isnan(value) || !wanted.exact;
  if (wanted.exact) return value == wanted.number;
  if (!std::isfinite(value) || !std::isfinite(wanted.number))
    return std::fabs(value) == std::fabs(wanted.number) || !std::isfinite(wanted.scale) ||
           std::max(std::fabs(wanted.number), wanted.scale) > (type == DType::kF32 ? 1e38 : 1e308);
  return std::fabs(value - wanted.number) <=
         wanted.units * unit_of(std::max(wanted.scale, std::fabs(wanted.number)), type);
}

}  // namespace tw::testing
