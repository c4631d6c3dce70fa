#include "tests/targets/c_source/compiler/expressions.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <string_view>

#include "engine/ir/bits.h"
#include "engine/ir/fields.h"
#include "engine/ir/operators.h"

namespace tw::c_source {

using namespace ir;

namespace {

constexpr int kCondition = 0;  // a ? b : c
constexpr int kPrefix = 11;    // -a, (T)a
constexpr int kWhole = 12;     // a name, a call, an element

/// Words of C, and what else the printed code says: a tensor of that name would hide it.
constexpr std::string_view kReserved =
    " auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while asm typeof NAN INFINITY INT32_MIN INT64_MIN INT64_MAX "
    "TwRuntime buffers runtime captured closure code exp expf log logf sqrt sqrtf tanh tanhf erf "
    "erff floor floorf ceil ceilf sin sinf cos cosf rint rintf fabs fabsf fmod fmodf pow powf ";

struct HelperKind {
  std::string_view kind;
  std::string_view text;  ///< @ is the type, # its bits, $ the function's name
};

constexpr HelperKind kHelpers[] = {
    // C leaves a division by zero to the compiler: it ends the kernel.
    {"div",
     "static @ $(@ a, @ b) {\n"
     "  if (b == 0) raise(SIGFPE);\n"
     "  return (@)(a / b);\n"
     "}\n"},
    {"mod",
     "static @ $(@ a, @ b) {\n"
     "  if (b == 0) raise(SIGFPE);\n"
     "  return (@)(a % b);\n"
     "}\n"},
    // The least by -1 is itself, wrapped; the processor's division would trap.
    {"floor_div",
     "static @ $(@ a, @ b) {\n"
     "  if (b == 0) raise(SIGFPE);\n"
     "  if (b == -1) return (@)-a;\n"
     "  return (@)(a / b - (a % b != 0 && (a % b < 0) != (b < 0)));\n"
     "}\n"},
    {"floor_mod",
     "static @ $(@ a, @ b) {\n"
     "  if (b == 0) raise(SIGFPE);\n"
     "  if (b == -1) return 0;\n"
     "  return (@)(a % b + (a % b != 0 && (a % b < 0) != (b < 0) ? b : 0));\n"
     "}\n"},
    {"shift_left",
     "static @ $(@ a, @ b) { return (uint64_t)b < # ? (@)((uint64_t)a << b) : 0; }\n"},
    {"shift_right",
     "static @ $(@ a, @ b) { return (uint64_t)b < # ? (@)(a >> b) : (@)(a < 0 ? -1 : 0); }\n"},
    {"abs", "static @ $(@ a) { return (@)(a < 0 ? -a : a); }\n"},
    // Of two NaN-free numbers the greater; else a NaN, on whichever side it stands.
    {"max", "static @ $(@ a, @ b) { return a != a ? a : a > b ? a : b; }\n"},
    {"min", "static @ $(@ a, @ b) { return a != a ? a : a < b ? a : b; }\n"},
    {"whole",
     "static int64_t $(double a) {\n"
     "  if (a != a) return 0;\n"
     "  if (a >= 0x1p63) return INT64_MAX;\n"
     "  return a <= -0x1p63 ? INT64_MIN : (int64_t)a;\n"
     "}\n"},
};

std::string replaced(std::string text, std::string_view mark, std::string const& by) {
  for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += by.size())
    text.replace(at, mark.size(), by);
  return text;
}

}  // namespace

std::string memory_type(DType type) {
  if (type == DType::kF32) return "float";
  if (type == DType::kF64) return "double";
  if (type == DType::kBool) return "uint8_t";
  return fmt::format("{}int{}_t", is_signed(type) ? "" : "u", size_of(type) * 8);
}

std::string Expressions::name(std::string const& of) {
  auto [found, added] = names_.emplace(of, of);
  if (!added) return found->second;
  std::string& name = found->second;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  // What begins with "_" is the compiler's, what begins with "tw_" is a helper or a kernel.
  bool begins = std::isalpha(static_cast<unsigned char>(name[0])) && !name.starts_with("tw_");
  if (!begins) name = "t_" + name;
  while (kReserved.contains(" " + name + " ") || name.ends_with("_t") ||
         !taken_.insert(name).second)
    name += "_";
  return name;
}

void Expressions::fail(std::string code, std::string message) {
  if (status_) status_ = refused(std::move(code), std::move(message));
}

Expressions::Piece Expressions::unsupported(std::string const& what) {
  fail("unsupported_expression", what + " has no code on this target");
  return {"0", kWhole};
}

std::string Expressions::text(Expr const& e, int least_strength) {
  if (e.lanes() > 1) return unsupported("a vector").text;
  if (is_float(e.type()) && size_of(e.type()) < 4)
    return unsupported(fmt::format("a value of type {}", to_text(e.type()))).text;
  Piece made = dispatch(*e, [&](auto const& node) { return piece(node); });
  return made.strength < least_strength ? "(" + made.text + ")" : made.text;
}

std::string Expressions::element(Buffer const& buffer, Expr const& index) {
  return fmt::format("{}[{}]", name(buffer->name), text(index));
}

/// Narrow integers are computed as int: each result is cut to its width.
Expressions::Piece Expressions::narrowed(Piece wide, DType type) {
  if (!is_integer(type) || size_of(type) >= 4) return wide;
  return {fmt::format("({})({})", memory_type(type), wide.text), kPrefix};
}

Expressions::Piece Expressions::helper(char const* kind, DType type, std::string const& arguments) {
  std::string name = fmt::format("tw_{}_{}", kind, to_text(type));
  for (HelperKind const& row : kHelpers)
    if (row.kind == kind && !helpers_.contains(name)) {
      std::string text = replaced(std::string(row.text), "@", memory_type(type));
      text = replaced(std::move(text), "#", std::to_string(size_of(type) * 8));
      helpers_[name] = replaced(std::move(text), "$", name);
    }
  return {fmt::format("{}({})", name, arguments), kWhole};
}

Expressions::Piece Expressions::function(char const* name, DType type, Expr const& a) {
  return {fmt::format("{}{}({})", name, type == DType::kF32 ? "f" : "", text(a)), kWhole};
}

/// Of the constant's own type: what is computed of constants alone must not wrap earlier.
Expressions::Piece Expressions::piece(IntImm const& node) {
  bool sign = is_signed(node.type) || node.type == DType::kBool;
  int64_t bytes = size_of(node.type);
  if (sign && bytes == 8 && node.value == INT64_MIN) return {"INT64_MIN", kWhole};
  if (sign && bytes == 4 && node.value == INT32_MIN) return {"INT32_MIN", kWhole};
  std::string digits = sign ? fmt::format("{}", node.value)
                            : fmt::format("{}{}", uint64_t(node.value), bytes >= 4 ? "U" : "");
  return {digits + (bytes == 8 ? "L" : ""), sign && node.value < 0 ? kPrefix : kWhole};
}

Expressions::Piece Expressions::piece(FloatImm const& node) {
  int strength = std::signbit(node.value) ? kPrefix : kWhole;
  if (std::isnan(node.value)) return {"NAN", kWhole};
  if (std::isinf(node.value)) return {node.value < 0 ? "-INFINITY" : "INFINITY", strength};
  bool single = node.type == DType::kF32;
  std::string digits =
      single ? fmt::format("{}", float(node.value)) : fmt::format("{}", node.value);
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return {digits + (single ? "f" : ""), strength};
}

Expressions::Piece Expressions::piece(Variable const& node) { return {name(node.name), kWhole}; }

Expressions::Piece Expressions::piece(Unary const& node) {
  auto prefix = [&](char const* sign) {
    return narrowed({sign + text(node.a, kWhole), kPrefix}, node.type);
  };
  if (node.op == UnaryOp::kNeg) return prefix("-");
  if (node.op == UnaryOp::kNot) return prefix("!");
  if (node.op == UnaryOp::kBitNot) return prefix("~");
  if (node.op == UnaryOp::kPopCount) return unsupported("a popcount");
  if (is_float(node.type)) {
    if (node.op == UnaryOp::kAbs) return function("fabs", node.type, node.a);
    if (node.op == UnaryOp::kRound) return function("rint", node.type, node.a);  // ties to even
    return function(name_of(node.op).data(), node.type, node.a);
  }
  if (node.op == UnaryOp::kAbs && is_signed(node.type))
    return helper("abs", node.type, text(node.a));
  return {text(node.a, kWhole), kWhole};  // rounding a whole number changes nothing
}

/// Strengths are ordered as C's, and operators of one strength go from left to right.
Expressions::Piece Expressions::infix(Binary const& node, std::string_view symbol, int strength) {
  return {fmt::format("{} {} {}", text(node.a, strength), symbol, text(node.b, strength + 1)),
          strength};
}

Expressions::Piece Expressions::piece(Binary const& node) {
  DType type = node.a.type();
  BinarySyntax const& syntax = syntax_of(node.op);
  auto called = [&](char const* kind) {
    return helper(kind, type, text(node.a) + ", " + text(node.b));
  };
  switch (node.op) {
    case BinaryOp::kFloorDiv:
      return is_signed(type) ? called("floor_div") : called("div");
    case BinaryOp::kFloorMod:
      return is_signed(type) ? called("floor_mod") : called("mod");
    case BinaryOp::kMin:
      return called("min");
    case BinaryOp::kMax:
      return called("max");
    case BinaryOp::kShiftLeft:
      return called("shift_left");
    case BinaryOp::kShiftRight:
      return called("shift_right");
    case BinaryOp::kPow:
      if (!is_float(type)) return unsupported("a power of whole numbers");
      return {
          fmt::format("pow{}({}, {})", type == DType::kF32 ? "f" : "", text(node.a), text(node.b)),
          kWhole};
    case BinaryOp::kFmod:
      return {
          fmt::format("fmod{}({}, {})", type == DType::kF32 ? "f" : "", text(node.a), text(node.b)),
          kWhole};
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kMul:
      return narrowed(infix(node, syntax.symbol, syntax.strength), type);
    case BinaryOp::kDiv:
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
  return {fmt::format("{} ? {} : {}", text(node.condition, kCondition + 1),
                      text(node.a, kCondition + 1), text(node.b, kCondition + 1)),
          kCondition};
}

Expressions::Piece Expressions::piece(Cast const& node) {
  DType from = node.a.type();
  int equality = syntax_of(BinaryOp::kNe).strength;
  if (node.type == DType::kBool) return {text(node.a, equality) + " != 0", equality};
  if (is_float(from) && !is_float(node.type)) {
    Piece whole = helper("whole", DType::kF64, text(node.a));
    return {fmt::format("({}){}", memory_type(node.type), whole.text), kPrefix};
  }
  return {fmt::format("({}){}", memory_type(node.type), text(node.a, kPrefix)), kPrefix};
}

Expressions::Piece Expressions::piece(Load const& node) {
  std::string read = element(node.buffer, node.indices[0]);
  if (node.type != DType::kBool) return {read, kWhole};
  return {read + " != 0", syntax_of(BinaryOp::kNe).strength};
}

Expressions::Piece Expressions::piece(Ramp const&) { return unsupported("a ramp"); }
Expressions::Piece Expressions::piece(Broadcast const&) { return unsupported("a broadcast"); }
Expressions::Piece Expressions::piece(IntrinsicValue const&) {
  return unsupported("a value of an instruction");
}

}  // namespace tw::c_source
