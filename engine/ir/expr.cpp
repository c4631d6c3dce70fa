#include "engine/ir/expr.h"

#include <cmath>
#include <limits>

#include "engine/ir/type_rules.h"
#include "engine/support/base/error.h"
#include "engine/tensor/integers.h"
#include "engine/tensor/nearest.h"

namespace tw::ir {
namespace {

std::optional<int64_t> fold(BinaryOp op, int64_t a, int64_t b) {
  int64_t r = 0;
  switch (op) {
    case BinaryOp::kAdd:
      return __builtin_add_overflow(a, b, &r) ? std::nullopt : std::optional(r);
    case BinaryOp::kSub:
      return __builtin_sub_overflow(a, b, &r) ? std::nullopt : std::optional(r);
    case BinaryOp::kMul:
      return __builtin_mul_overflow(a, b, &r) ? std::nullopt : std::optional(r);
    case BinaryOp::kFloorDiv:  // the least number by -1 wraps
      return b == 0 || b == -1 ? std::nullopt : std::optional(floor_quotient(a, b));
    case BinaryOp::kFloorMod:
      return b == 0 || b == -1 ? std::nullopt : std::optional(a - floor_quotient(a, b) * b);
    case BinaryOp::kMin:
      return std::min(a, b);
    case BinaryOp::kMax:
      return std::max(a, b);
    case BinaryOp::kLt:
      return a < b;
    case BinaryOp::kLe:
      return a <= b;
    case BinaryOp::kEq:
      return a == b;
    case BinaryOp::kNe:
      return a != b;
    case BinaryOp::kAnd:
      return a && b;
    case BinaryOp::kOr:
      return a || b;
    case BinaryOp::kDiv:
    case BinaryOp::kPow:
    case BinaryOp::kFmod:
    case BinaryOp::kBitAnd:
    case BinaryOp::kBitOr:
    case BinaryOp::kBitXor:
    case BinaryOp::kShiftLeft:
    case BinaryOp::kShiftRight:
      return std::nullopt;  // simplify knows the bits of whole numbers (arith)
  }
  return std::nullopt;
}

/// `a op b` with constants folded; no algebra beyond that. What wraps in its type stays, and so
/// does what lies in the upper half of u64, whose order is not that of its bits.
Expr folded(BinaryOp op, Expr a, Expr b) {
  auto x = as_int(a), y = as_int(b);
  bool upper = a.type() == DType::kU64 && (x.value_or(0) < 0 || y.value_or(0) < 0);
  if (x && y && a.type() == b.type() && !upper) {
    DType type = is_compare(op) ? DType::kBool : a.type();
    auto value = fold(op, *x, *y);
    if (value && fits(*value, type) && (type != DType::kU64 || *value >= 0))
      return int_imm(*value, type);
  }
  return binary(op, std::move(a), std::move(b));
}

}  // namespace

bool is_compare(BinaryOp op) { return op >= BinaryOp::kLt && op <= BinaryOp::kNe; }

bool is_bitwise(BinaryOp op) { return op >= BinaryOp::kBitAnd && op <= BinaryOp::kShiftRight; }

Expr int_imm(int64_t value, DType type) { return make<IntImm>(type, value); }
Expr float_imm(double value, DType type) { return make<FloatImm>(type, nearest(type, value)); }
Expr bool_imm(bool value) { return int_imm(value, DType::kBool); }
Expr var(std::string name, DType type) { return make<Variable>(type, std::move(name)); }
Expr unary(UnaryOp op, Expr a) { return make<Unary>(op, std::move(a)); }

Expr binary(BinaryOp op, Expr a, Expr b) {
  TW_ASSERT(a.type() == b.type(), "operands have one type");
  if (a.lanes() != b.lanes()) {
    if (a.lanes() == 1)
      a = make<Broadcast>(a, b.lanes());
    else
      b = make<Broadcast>(b, a.lanes());
  }
  TW_ASSERT(a.lanes() == b.lanes(), "vector operands have equal lanes");
  return make<Binary>(op, std::move(a), std::move(b));
}

Expr select(Expr condition, Expr a, Expr b) {
  TW_ASSERT(a.type() == b.type(), "both sides of a select have one type");
  return make<Select>(std::move(condition), std::move(a), std::move(b));
}
Expr cast(DType type, Expr a) { return a.type() == type ? a : make<Cast>(type, std::move(a)); }
Expr load(Buffer buffer, std::vector<Expr> indices) {
  // Iterators are i64: an index of another type could not stand in their place.
  for (Expr& index : indices) index = cast(DType::kI64, std::move(index));
  return make<Load>(std::move(buffer), std::move(indices));
}

Expr lowest(DType type) {
  if (is_float(type)) return float_imm(-std::numeric_limits<double>::infinity(), type);
  if (type == DType::kBool) return bool_imm(false);
  bool is_signed =
      type == DType::kI8 || type == DType::kI16 || type == DType::kI32 || type == DType::kI64;
  int bits = int(size_of(type)) * 8;
  return int_imm(is_signed ? std::numeric_limits<int64_t>::min() >> (64 - bits) : 0, type);
}

Expr highest(DType type) {
  if (is_float(type)) return float_imm(std::numeric_limits<double>::infinity(), type);
  if (type == DType::kBool) return bool_imm(true);
  if (type == DType::kU64) return int_imm(-1, type);  // all bits
  bool is_signed =
      type == DType::kI8 || type == DType::kI16 || type == DType::kI32 || type == DType::kI64;
  int bits = int(size_of(type)) * 8 - (is_signed ? 1 : 0);
  return int_imm(int64_t((uint64_t(1) << bits) - 1), type);
}

Buffer make_buffer(std::string name, DType type, std::vector<int64_t> const& shape,
                   std::string scope) {
  BufferNode node{std::move(name), type, {}, std::move(scope)};
  for (int64_t extent : shape) node.shape.push_back(int_imm(extent));
  return std::make_shared<BufferNode const>(std::move(node));
}

Expr operator+(Expr a, Expr b) {
  if (is_int(a, 0)) return b;
  if (is_int(b, 0)) return a;
  return folded(BinaryOp::kAdd, std::move(a), std::move(b));
}
Expr operator-(Expr a, Expr b) {
  if (is_int(b, 0)) return a;
  return folded(BinaryOp::kSub, std::move(a), std::move(b));
}
Expr operator*(Expr a, Expr b) {
  if (is_int(a, 1) || is_int(b, 0)) return b;
  if (is_int(b, 1) || is_int(a, 0)) return a;
  return folded(BinaryOp::kMul, std::move(a), std::move(b));
}
Expr operator/(Expr a, Expr b) { return binary(BinaryOp::kDiv, std::move(a), std::move(b)); }
Expr operator<(Expr a, Expr b) { return folded(BinaryOp::kLt, std::move(a), std::move(b)); }
Expr operator<=(Expr a, Expr b) { return folded(BinaryOp::kLe, std::move(a), std::move(b)); }
Expr operator&&(Expr a, Expr b) {
  if (is_int(a, 1)) return b;
  if (is_int(b, 1)) return a;
  if (is_int(a, 0) && b.lanes() == 1) return a;
  if (is_int(b, 0) && a.lanes() == 1) return b;
  return folded(BinaryOp::kAnd, std::move(a), std::move(b));
}
Expr operator||(Expr a, Expr b) {
  if (is_int(a, 0)) return b;
  if (is_int(b, 0)) return a;
  return folded(BinaryOp::kOr, std::move(a), std::move(b));
}
Expr floor_div(Expr a, Expr b) {
  if (is_int(b, 1)) return a;
  return folded(BinaryOp::kFloorDiv, std::move(a), std::move(b));
}
Expr floor_mod(Expr a, Expr b) {
  if (is_int(b, 1)) return int_imm(0, b.type());
  return folded(BinaryOp::kFloorMod, std::move(a), std::move(b));
}
Expr min(Expr a, Expr b) { return folded(BinaryOp::kMin, std::move(a), std::move(b)); }
Expr max(Expr a, Expr b) { return folded(BinaryOp::kMax, std::move(a), std::move(b)); }

std::optional<int64_t> as_int(Expr const& e) {
  if (auto const* imm = e.as<IntImm>()) return imm->value;
  return std::nullopt;
}
bool is_int(Expr const& e, int64_t value) {
  auto const* imm = e.as<IntImm>();
  return imm && imm->value == value;
}

std::optional<std::vector<int64_t>> constant_shape(BufferNode const& buffer) {
  std::vector<int64_t> shape;
  for (Expr const& extent : buffer.shape) {
    auto value = as_int(extent);
    if (!value) return std::nullopt;
    shape.push_back(*value);
  }
  return shape;
}

}  // namespace tw::ir
