/// Expressions. Index arithmetic is i64 and never wraps in a verified program; float operations
/// round to their type after every operation (f32 as IEEE single).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "engine/ir/op.h"

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

struct Unary : ExprNode {
  static constexpr ExprKind kKind = ExprKind::kUnary;
  static constexpr auto fields() { return std::tuple{&Unary::op, &Unary::a}; }
  Unary(UnaryOp o, Expr x) : ExprNode(kKind, x.type(), x.lanes()), op(o), a(std::move(x)) {}
  UnaryOp op;
  Expr a;
};

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

}  // namespace tw::ir
