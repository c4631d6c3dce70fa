#include "targets/shared/c_text/expressions.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <string_view>

#include "engine/arith/intervals.h"
#include "engine/ir/bits.h"
#include "engine/ir/fields.h"
#include "engine/ir/operators.h"
#include "targets/shared/c_text/helpers.h"

namespace tw::c_text {

using namespace ir;

namespace {

constexpr int kCondition = 0;  // a ? b : c
constexpr int kPrefix = 11;    // -a, (T)a
constexpr int kWhole = 12;     // a name, a call, an element

/// Words of C, and what else the printed code says: a tensor of that name would hide it.
constexpr std::string_view kReserved =
    " auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while asm typeof NAN INFINITY fault exp expf log logf sqrt sqrtf "
    "tanh tanhf erf erff floor floorf ceil ceilf sin sinf cos cosf rint rintf fabs fabsf fmod "
    "fmodf "
    "pow powf ";

constexpr arith::Interval kNarrow{INT32_MIN, INT32_MAX};

bool has(std::optional<arith::Interval> const& values, int64_t low, int64_t high) {
  return values && values->low >= low && values->high <= high;
}

bool is_narrow_float(DType type) { return is_float(type) && size_of(type) < 4; }

/// What values of the type are computed in.
DType computed(DType type) { return is_narrow_float(type) ? DType::kF32 : type; }

arith::WideInterval wide(std::optional<arith::Interval> const& values, DType type) {
  return values ? arith::WideInterval{values->low, values->high} : arith::values_of(type);
}

}  // namespace

std::string Expressions::name(std::string const& key, std::string const& of) {
  auto [found, added] = names_.emplace(key, of);
  if (!added) return found->second;
  std::string& name = found->second;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  // What begins with "_" is the compiler's, what begins with "tw_" is a helper or a kernel.
  bool begins = std::isalpha(static_cast<unsigned char>(name[0])) && !name.starts_with("tw_");
  if (!begins) name = "t_" + name;
  auto reserved = [&] {
    std::string word = " " + name + " ";
    return kReserved.contains(word) || dialect_.reserved.contains(word);
  };
  while (reserved() || name.ends_with("_t") || !taken_.insert(name).second) name += "_";
  return name;
}

void Expressions::fail(std::string code, std::string message) {
  if (status_) status_ = refused(std::move(code), std::move(message));
}

bool Expressions::narrows(std::optional<arith::Interval> const& values) const {
  return dialect_.narrow_indices && has(values, kNarrow.low, kNarrow.high);
}

std::string Expressions::index_type(std::optional<arith::Interval> const& values) const {
  return dialect_.type(narrows(values) ? DType::kI32 : DType::kI64);
}

Expressions::Piece Expressions::unsupported(std::string const& what) {
  fail("unsupported_expression", what + " has no code on this target");
  return {"0", kWhole, DType::kI64};
}

std::string Expressions::wrapped(Piece const& made, int least_strength) const {
  return made.strength < least_strength ? "(" + made.text + ")" : made.text;
}

std::string Expressions::text(Expr const& e, int least_strength) {
  return wrapped(made(e), least_strength);
}

Expressions::Piece Expressions::made(Expr const& e) {
  if (e.lanes() > 1) return unsupported("a vector");
  if (is_narrow_float(e.type()) && dialect_.narrow.from_half.empty())
    return unsupported(fmt::format("a value of type {}", to_text(e.type())));
  return dispatch(*e, [&](auto const& node) { return piece(node); });
}

std::string Expressions::element(Buffer const& buffer, Expr const& index) {
  return fmt::format("{}[{}]", tensor_name(buffer->name), text(index));
}

std::string Expressions::value_type(DType type) const { return dialect_.type(computed(type)); }

/// A copy takes the bits as they are.
std::string Expressions::stored(Expr const& value) {
  if (!is_narrow_float(value.type())) return text(value);
  if (auto const* copied = value.as<Load>()) return element(copied->buffer, copied->indices[0]);
  Piece wide = made(value);
  return helper("bits", value.type(), wide.exact.empty() ? wide.text : wide.exact).text;
}

Expressions::Piece Expressions::rounded(Piece wide, DType type) {
  if (!is_narrow_float(type)) return wide;
  helper("bits", type, "");
  helper("number", type, "");
  Piece made = helper("rounded", type, wide.text);
  made.type = type;
  made.exact = std::move(wide.text);
  return made;
}

/// Integers of fewer bits are computed as int: each result is cut to its width.
Expressions::Piece Expressions::narrowed(Piece wide, DType type) {
  if (!is_integer(type) || size_of(type) >= 4) return wide;
  return {fmt::format("({})({})", dialect_.type(type), wide.text), kPrefix, type};
}

Expressions::Piece Expressions::helper(std::string_view kind, DType type,
                                       std::string const& arguments) {
  Helper made = helper_of(dialect_, kind, type);
  names_fault_ = names_fault_ || made.takes_fault;
  helpers_.emplace(made.name, made.text);
  return {fmt::format("{}({}{})", made.name, arguments, made.takes_fault ? ", fault" : ""), kWhole,
          kind == "whole" ? DType::kI64 : type};
}

Expressions::Piece Expressions::function(std::string_view name, DType type,
                                         std::string const& arguments) {
  std::string called(name);
  if (dialect_.function)
    called = dialect_.function(name, computed(type));
  else if (computed(type) == DType::kF32)
    called += dialect_.single_suffix;
  if (called.empty()) return unsupported(fmt::format("the function {}", name));
  return rounded({fmt::format("{}({})", called, arguments), kWhole, type}, type);
}

/// Of the constant's own type: what is computed of constants alone must not wrap earlier.
Expressions::Piece Expressions::piece(IntImm const& node) {
  bool sign = is_signed(node.type) || node.type == DType::kBool;
  int64_t bytes = size_of(node.type);
  bool narrow = node.type == DType::kI64 && narrows(arith::Interval{node.value, node.value});
  DType type = narrow ? DType::kI32 : node.type;
  if (sign && bytes == 8 && node.value == INT64_MIN)
    return {"(-9223372036854775807L - 1)", kWhole, type};
  if (sign && bytes >= 4 && node.value == INT32_MIN && (bytes == 4 || narrow))
    return {"(-2147483647 - 1)", kWhole, type};
  std::string digits = sign ? fmt::format("{}", node.value)
                            : fmt::format("{}{}", uint64_t(node.value), bytes >= 4 ? "U" : "");
  return {digits + (bytes == 8 && !narrow ? "L" : ""), sign && node.value < 0 ? kPrefix : kWhole,
          type};
}

Expressions::Piece Expressions::piece(FloatImm const& node) {
  int strength = std::signbit(node.value) ? kPrefix : kWhole;
  if (std::isnan(node.value)) return {"NAN", kWhole, node.type};
  if (std::isinf(node.value))
    return {node.value < 0 ? "-INFINITY" : "INFINITY", strength, node.type};
  bool single = computed(node.type) == DType::kF32;
  std::string digits =
      single ? fmt::format("{}", float(node.value)) : fmt::format("{}", node.value);
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return {digits + (single ? "f" : ""), strength, node.type};
}

Expressions::Piece Expressions::piece(Variable const& node) {
  bool narrow = node.type == DType::kI64 && narrows(ranges_.find(node.name));
  return {variable_name(node.name), kWhole, narrow ? DType::kI32 : node.type};
}

Expressions::Piece Expressions::float_unary(Unary const& node) {
  if (node.op == UnaryOp::kAbs)  // of 16 bits nothing is to be rounded
    return function("fabs", computed(node.type), text(node.a));
  if (node.op == UnaryOp::kRound) return function("rint", node.type, text(node.a));  // ties to even
  return function(name_of(node.op), node.type, text(node.a));
}

Expressions::Piece Expressions::piece(Unary const& node) {
  DType type = node.type;
  auto prefix = [&](char const* sign) {
    Piece a = made(node.a);
    return narrowed({sign + wrapped(a, kWhole), kPrefix, a.type}, type);
  };
  if (node.op == UnaryOp::kNot) return prefix("!");
  if (node.op == UnaryOp::kBitNot) return prefix("~");
  if (node.op == UnaryOp::kNeg) {
    bool overflows = is_integer(type) && is_signed(type) && size_of(type) >= 4 && !dialect_.wraps;
    return overflows ? sum(Binary(BinaryOp::kSub, int_imm(0, type), node.a)) : prefix("-");
  }
  if (node.op == UnaryOp::kPopCount) return helper("popcount", type, text(node.a));
  if (is_float(type)) return float_unary(node);
  if (node.op == UnaryOp::kAbs && is_signed(type)) return helper("abs", type, text(node.a));
  Piece a = made(node.a);
  return {wrapped(a, kWhole), kWhole, a.type};  // rounding a whole number changes nothing
}

DType Expressions::type_of_both(Piece const& a, Piece const& b) const {
  return a.type == DType::kI32 && b.type == DType::kI32 ? DType::kI32 : DType::kI64;
}

/// Strengths are ordered as C's, and operators of one strength go from left to right.
Expressions::Piece Expressions::infix(Binary const& node, std::string_view symbol, int strength) {
  Piece a = made(node.a), b = made(node.b);
  DType type = node.a.type() == DType::kI64 ? type_of_both(a, b) : node.a.type();
  return {fmt::format("{} {} {}", wrapped(a, strength), symbol, wrapped(b, strength + 1)), strength,
          is_compare(node.op) ? DType::kBool : type};
}

/// C says nothing of signed numbers that overflow.
Expressions::Piece Expressions::without_sign(Binary const& node, std::string_view symbol) {
  bool narrow = size_of(node.type) < 8;
  std::string type = dialect_.type(narrow ? DType::kU32 : DType::kU64);
  return {fmt::format("({})(({}){} {} ({}){})", dialect_.type(node.type), type,
                      text(node.a, kPrefix), symbol, type, text(node.b, kPrefix)),
          kPrefix, node.type};
}

/// A sum, a difference or a product.
Expressions::Piece Expressions::sum(Binary const& node) {
  BinarySyntax const& syntax = syntax_of(node.op);
  DType type = node.type;
  if (is_float(type)) return rounded(infix(node, syntax.symbol, syntax.strength), type);
  auto values = arith::interval_of(node.op, type, wide(arith::bounds(node.a, ranges_), type),
                                   wide(arith::bounds(node.b, ranges_), type));
  // Numbers of fewer bits than an int's are computed in one, where only a product of two of 16 bits
  // without sign does not fit.
  DType computed = size_of(type) < 4 ? DType::kI32 : type;
  bool fits =
      dialect_.wraps || !(is_signed(computed)) || arith::within(values, arith::values_of(computed));
  if (!fits) return without_sign(node, syntax.symbol);
  Piece a = made(node.a), b = made(node.b);
  bool narrow = type == DType::kI64 && type_of_both(a, b) == DType::kI32;
  if (narrow && !arith::within(values, {kNarrow.low, kNarrow.high})) {
    a = {fmt::format("({}){}", dialect_.type(type), wrapped(a, kPrefix)), kPrefix, type};
    narrow = false;
  }
  Piece result{fmt::format("{} {} {}", wrapped(a, syntax.strength), syntax.symbol,
                           wrapped(b, syntax.strength + 1)),
               syntax.strength, narrow ? DType::kI32 : type};
  return narrowed(result, type);
}

Expressions::Piece Expressions::of_two(std::string_view kind, Binary const& node) {
  Piece a = made(node.a), b = made(node.b);
  DType type = node.type == DType::kI64 ? type_of_both(a, b) : computed(node.type);
  return helper(kind, type, a.text + ", " + b.text);
}

/// C's division is the one that rounds down where nothing is negative.
Expressions::Piece Expressions::quotient(Binary const& node) {
  bool divides = node.op == BinaryOp::kFloorDiv, sign = is_signed(node.type);
  auto a = arith::bounds(node.a, ranges_), b = arith::bounds(node.b, ranges_);
  bool positive = has(b, 1, INT64_MAX);
  bool known = positive || has(b, INT64_MIN, -1);
  if (positive && (!sign || has(a, 0, INT64_MAX)))
    return narrowed(infix(node, divides ? "/" : "%", syntax_of(BinaryOp::kFloorDiv).strength),
                    node.type);
  std::string kind =
      std::string(sign ? "floor_" : "") + (divides ? "div" : "mod") + (known ? "_known" : "");
  // The least number of 32 bits by -1 is none of 32 bits.
  if (positive) return of_two(kind, node);
  return helper(kind, node.type, text(node.a) + ", " + text(node.b));
}

Expressions::Piece Expressions::piece(Binary const& node) {
  DType type = node.a.type();
  BinarySyntax const& syntax = syntax_of(node.op);
  auto arguments = [&] { return text(node.a) + ", " + text(node.b); };
  switch (node.op) {
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod:
      return quotient(node);
    case BinaryOp::kMin:
      return of_two("min", node);
    case BinaryOp::kMax:
      return of_two("max", node);
    case BinaryOp::kShiftLeft:
      return helper("shift_left", type, arguments());
    case BinaryOp::kShiftRight:
      return helper("shift_right", type, arguments());
    case BinaryOp::kPow:
      if (!is_float(type)) return unsupported("a power of whole numbers");
      return function("pow", type, arguments());
    case BinaryOp::kFmod:
      return function("fmod", type, arguments());
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kMul:
      return sum(node);
    case BinaryOp::kDiv:
      return rounded(infix(node, syntax.symbol, syntax.strength), node.type);
    case BinaryOp::kLt:
    case BinaryOp::kLe:
    case BinaryOp::kEq:
    case BinaryOp::kNe:
    case BinaryOp::kAnd:
    case BinaryOp::kOr:
    case BinaryOp::kBitAnd:
    case BinaryOp::kBitOr:
    case BinaryOp::kBitXor:
      return infix(node, syntax.symbol, syntax.strength);
  }
  std::unreachable();
}

Expressions::Piece Expressions::piece(Select const& node) {
  Piece a = made(node.a), b = made(node.b);
  return {fmt::format("{} ? {} : {}", text(node.condition, kCondition + 1),
                      wrapped(a, kCondition + 1), wrapped(b, kCondition + 1)),
          kCondition, node.type == DType::kI64 ? type_of_both(a, b) : node.type};
}

Expressions::Piece Expressions::piece(Cast const& node) {
  DType from = node.a.type();
  int equality = syntax_of(BinaryOp::kNe).strength;
  if (is_float(from) && computed(from) == node.type) return made(node.a);
  if (node.type == DType::kBool) return {text(node.a, equality) + " != 0", equality, DType::kBool};
  std::string type = value_type(node.type);
  if (is_float(from) && !is_float(node.type))
    return {fmt::format("({}){}", type, helper("whole", computed(from), text(node.a)).text),
            kPrefix, node.type};
  return rounded({fmt::format("({}){}", type, text(node.a, kPrefix)), kPrefix, node.type},
                 from == node.type ? DType::kF32 : node.type);
}

Expressions::Piece Expressions::piece(Load const& node) {
  std::string read = element(node.buffer, node.indices[0]);
  if (auto found = replaced_.find(read); found != replaced_.end()) read = found->second;
  if (is_narrow_float(node.type)) return helper("number", node.type, read);
  if (node.type != DType::kBool) return {read, kWhole, node.type};
  return {read + " != 0", syntax_of(BinaryOp::kNe).strength, node.type};
}

Expressions::Piece Expressions::piece(Ramp const&) { return unsupported("a ramp"); }
Expressions::Piece Expressions::piece(Broadcast const&) { return unsupported("a broadcast"); }
Expressions::Piece Expressions::piece(IntrinsicValue const&) {
  return unsupported("a value of an instruction");
}

}  // namespace tw::c_text
