/// Expressions. Index arithmetic is i64 and never wraps in a verified program; float operations
/// round to their type after every operation (f32 as IEEE single).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "engine/ir/handles.h"

namespace tw::ir {

/// Every kind of expression, once: the enumeration and `dispatch` (fields.h) come from this list.
#define TW_EXPR_NODES(NODE) \
  NODE(IntImm)              \
  NODE(FloatImm)            \
  NODE(Variable)            \
  NODE(Unary)               \
  NODE(Binary)              \
  NODE(Select)              \
  NODE(Cast)                \
  NODE(Load)                \
  NODE(Ramp)                \
  NODE(Broadcast)           \
  NODE(IntrinsicValue)
#define TW_KIND(NAME) k##NAME,
enum class ExprKind : uint8_t { TW_EXPR_NODES(TW_KIND) };

// ---- nodes -------------------------------------------------------------------------------

struct IntImm : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kIntImm;
  static constexpr auto fields() { return std::tuple{&IntImm::value}; }
  IntImm(DType t, int64_t v) : ExprNode(kKind, t, 1), value(v) {}
  int64_t value;  ///< for bool 0 or 1
};

struct FloatImm : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kFloatImm;
  static constexpr auto fields() { return std::tuple{&FloatImm::value}; }
  FloatImm(DType t, double v) : ExprNode(kKind, t, 1), value(v) {}
  double value;  ///< already rounded to `type`
};

/// A loop variable, block iterator, let-bound value or size parameter, identified by its name: a
/// name may not be bound again inside its own scope.
struct Variable : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kVariable;
  static constexpr auto fields() { return std::tuple{&Variable::name}; }
  Variable(DType t, std::string n) : ExprNode(kKind, t, 1), name(std::move(n)) {}
  std::string name;
};

enum class UnaryOp : uint8_t {
  kNeg,
  kNot,
  kAbs,
  kExp,
  kLog,
  kSqrt,
  kTanh,
  kErf,
  kFloor,
  kCeil,
  kSin,
  kCos,
  kRound,
  kBitNot,   ///< of integers: every bit the other one
  kPopCount  ///< of integers: how many bits of the type's width are set
};

struct Unary : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kUnary;
  static constexpr auto fields() { return std::tuple{&Unary::op, &Unary::a}; }
  Unary(UnaryOp o, Expr x) : ExprNode(kKind, x.type(), x.lanes()), op(o), a(std::move(x)) {}
  UnaryOp op;
  Expr a;
};

/// kDiv is for floats; integers use kFloorDiv and kFloorMod, which round down (-7 // 2 == -4,
/// -7 % 2 == 1; the least by -1 is itself, wrapped); dividing by zero is an error of the program.
///
/// kFmod is for floats: what is left of a division rounded towards zero, exact, with the sign of
/// the dividend, as C's fmod.
///
/// kBitAnd to kShiftRight are for integers. A shift moves the bits of its left operand by as many
/// places as its right one says; what leaves the type's width is lost. To the right, a signed
/// number is filled up with its sign, an unsigned one with zeros. Places below 0, or as many as the
/// type has bits or more, move everything out: the result is 0, or -1 for a negative number that is
/// shifted to the right.
enum class BinaryOp : uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kFloorDiv,
  kFloorMod,
  kMin,
  kMax,
  kPow,
  kFmod,
  kLt,
  kLe,
  kEq,
  kNe,
  kAnd,
  kOr,
  kBitAnd,
  kBitOr,
  kBitXor,
  kShiftLeft,
  kShiftRight
};
bool is_compare(BinaryOp op);
/// One of those that look at the bits of integers.
bool is_bitwise(BinaryOp op);

struct Binary : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kBinary;
  static constexpr auto fields() { return std::tuple{&Binary::op, &Binary::a, &Binary::b}; }
  Binary(BinaryOp o, Expr x, Expr y)
      : ExprNode(kKind, is_compare(o) ? DType::kBool : x.type(), x.lanes()),
        op(o),
        a(std::move(x)),
        b(std::move(y)) {}
  BinaryOp op;
  Expr a, b;
};

/// Only the chosen side is evaluated: the other may read outside its buffer.
struct Select : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kSelect;
  static constexpr auto fields() { return std::tuple{&Select::condition, &Select::a, &Select::b}; }
  Select(Expr c, Expr x, Expr y)
      : ExprNode(kKind, x.type(), x.lanes()),
        condition(std::move(c)),
        a(std::move(x)),
        b(std::move(y)) {}
  Expr condition, a, b;
};

struct Cast : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kCast;
  static constexpr auto fields() { return std::tuple{&Cast::a}; }
  Cast(DType t, Expr x) : ExprNode(kKind, t, x.lanes()), a(std::move(x)) {}
  Expr a;
};

/// Reads one element; one index per dimension. In kernel IR after flattening: one index, in
/// elements.
struct Load : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kLoad;
  static constexpr auto fields() { return std::tuple{&Load::buffer, &Load::indices}; }
  Load(Buffer b, std::vector<Expr> i)
      : ExprNode(kKind, b->type, lanes_of(i)), buffer(std::move(b)), indices(std::move(i)) {}
  static int lanes_of(std::vector<Expr> const& indices) {
    for (Expr const& index : indices)
      if (index.lanes() > 1) return index.lanes();
    return 1;
  }
  Buffer buffer;
  std::vector<Expr> indices;
};

/// Vector base, base+stride, ..., `count` lanes.
struct Ramp : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kRamp;
  static constexpr auto fields() { return std::tuple{&Ramp::base, &Ramp::stride}; }
  Ramp(Expr b, Expr s, int count)
      : ExprNode(kKind, b.type(), count), base(std::move(b)), stride(std::move(s)) {}
  Expr base, stride;
};

struct Broadcast : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kBroadcast;
  static constexpr auto fields() { return std::tuple{&Broadcast::value}; }
  Broadcast(Expr v, int count) : ExprNode(kKind, v.type(), count), value(std::move(v)) {}
  Expr value;
};

/// What an instruction makes of values: of kernel IR alone. The declaration has one parameter that
/// it writes or updates; the value is that parameter's elements in row-major order, one a lane. The
/// operands are the other parameters in their order, and where it is updated its old elements
/// first, each with as many lanes as its parameter has elements.
struct IntrinsicValue : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kIntrinsicValue;
  static constexpr auto fields() {
    return std::tuple{&IntrinsicValue::intrinsic, &IntrinsicValue::operands};
  }
  IntrinsicValue(Intrinsic i, DType element, int count, std::vector<Expr> o)
      : ExprNode(kKind, element, count), intrinsic(std::move(i)), operands(std::move(o)) {}
  Intrinsic intrinsic;
  std::vector<Expr> operands;
};

// ---- making ------------------------------------------------------------------------------

/// The only way to make a node: `make<Cast>(DType::kF32, x)`.
template <typename N, typename... Args>
Expr make(Args&&... args) requires std::is_base_of_v<ExprNode, N> {
  return Expr(new N(std::forward<Args>(args)...));
}

Expr int_imm(int64_t value, DType type = DType::kI64);
Expr float_imm(double value, DType type = DType::kF32);
Expr bool_imm(bool value);
Expr unary(UnaryOp op, Expr a);
/// Operands must have one type; a scalar beside a vector is broadcast. Constants are not folded
/// here.
Expr binary(BinaryOp op, Expr a, Expr b);
Expr select(Expr condition, Expr a, Expr b);
Expr cast(DType type, Expr a);  ///< returns `a` when it has that type already
Expr load(Buffer buffer, std::vector<Expr> indices);
/// The least value of the type for max, the greatest for min: identities of those reductions.
Expr lowest(DType type);
Expr highest(DType type);

// Folding conveniences for index arithmetic: they fold constants and drop +0, *1, /1.
Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator/(Expr a, Expr b);  ///< float division
Expr operator<(Expr a, Expr b);
Expr operator<=(Expr a, Expr b);
Expr operator&&(Expr a, Expr b);
Expr operator||(Expr a, Expr b);
Expr floor_div(Expr a, Expr b);
Expr floor_mod(Expr a, Expr b);
Expr min(Expr a, Expr b);
Expr max(Expr a, Expr b);
inline Expr operator+(Expr a, int64_t b) { return std::move(a) + int_imm(b); }
inline Expr operator-(Expr a, int64_t b) { return std::move(a) - int_imm(b); }
inline Expr operator*(Expr a, int64_t b) { return std::move(a) * int_imm(b); }
inline Expr operator<(Expr a, int64_t b) { return std::move(a) < int_imm(b); }
inline Expr operator<=(int64_t a, Expr b) { return int_imm(a) <= std::move(b); }

}  // namespace tw::ir
