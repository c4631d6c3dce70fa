#include "engine/te/approximate.h"

#include <cmath>
#include <limits>
#include <utility>

#include "engine/ir/fields.h"
#include "engine/ir/rewrite.h"

namespace tw::te {
namespace {

using ir::BinaryOp;
using ir::UnaryOp;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Grid kNone{kInfinity, 0};
/// Generated functions are right to a few units in the last place of f32, in f64 not always.
constexpr double kFunctionUnits = 8, kFunctionError = 1e-8;

Expr abs(Expr const& e) { return ir::unary(UnaryOp::kAbs, e); }

Expr times(Expr const& a, Expr const& by) { return a ? a * by : a; }
Expr exact(Expr const& error) { return error ? error : double_imm(0); }
Expr is_any(Expr const& error) { return double_imm(0) < error; }
/// Infinite where there is an error at all, or one that is no number.
Expr unbounded(Expr const& error) {
  return error ? ir::select(error <= double_imm(0), double_imm(0), double_imm(kInfinity)) : error;
}

int places(DType type) {
  switch (type) {
    case DType::kF32:
      return 24;
    case DType::kF16:
      return 11;
    case DType::kBF16:
      return 8;
    default:
      return 53;
  }
}

Grid joined(Grid const& a, Grid const& b) {
  return {std::max(a.most, b.most), std::min(a.step, b.step)};
}

/// Of a product's factors. What is not known is taken to be moderate, except beside what is large.
double most_of_product(double a, double b) {
  if (std::isfinite(a) && std::isfinite(b)) return a * b;
  return is_large(a) || is_large(b) ? kVeryLarge : kInfinity;
}

/// No value of the function is larger, of arguments up to `most`.
double most_of(UnaryOp op, double most) {
  switch (op) {
    case UnaryOp::kExp:
      return std::exp(most);
    case UnaryOp::kSqrt:
      return std::max(most, 1.0);
    case UnaryOp::kTanh:
    case UnaryOp::kErf:
    case UnaryOp::kSin:
    case UnaryOp::kCos:
      return 1;
    case UnaryOp::kLog:
    case UnaryOp::kNeg:
    case UnaryOp::kNot:
    case UnaryOp::kAbs:
    case UnaryOp::kFloor:
    case UnaryOp::kCeil:
    case UnaryOp::kRound:
    case UnaryOp::kBitNot:
    case UnaryOp::kPopCount:
      return kInfinity;
  }
  std::unreachable();
}

bool has_index_condition(Expr const& condition) {
  bool found = false;
  ir::walk(condition, [&](Expr const& e) {
    auto const* compare = e.as<ir::Binary>();
    if (compare && ir::is_compare(compare->op) && !is_float(compare->a.type())) found = true;
    return !found;
  });
  return found;
}

}  // namespace

bool is_large(double most) {
  constexpr double kLarge = 0x1p24;
  return std::isfinite(most) && most > kLarge;
}

double unit(DType type) { return std::ldexp(1.0, -places(type)); }

double least(DType type) {
  return type == DType::kF16 ? 0x1p-25 : type == DType::kF64 ? 0x1p-1074 : 0x1p-150;
}

double largest(DType type) {
  return type == DType::kF16    ? 65504
         : type == DType::kBF16 ? 0x1.fep127
         : type == DType::kF32  ? 0x1.fffffep127
                                : std::numeric_limits<double>::max();
}

bool fits(DType type, Grid const& grid) {
  double most = type == DType::kF16 ? 65504 : 0x1p127;
  return grid.step >= 2 * least(type) && grid.most <= most &&
         grid.most <= std::ldexp(grid.step, places(type));
}

bool may_overflow(DType type, Grid const& grid) {
  if (type == DType::kF16) return !(grid.most <= largest(type));
  return is_float(type) && std::isfinite(grid.most) && grid.most > largest(type);
}

Expr share_of(DType type, Expr const& size) { return size / double_imm(largest(type)); }

Expr overflow(Expr const& share) {
  if (!share) return share;
  return ir::select(share <= double_imm(1), double_imm(0), double_imm(kInfinity));
}

Expr sum(Expr const& a, Expr const& b) { return !a ? b : !b ? a : a + b; }
Expr larger(Expr const& a, Expr const& b) { return !a ? b : !b ? a : ir::max(a, b); }
Expr as_double(Expr const& e) { return ir::cast(DType::kF64, e); }

Grid wrapped(DType type, Grid const& grid) {
  if (is_float(type) || type == DType::kBool) return grid;
  double end = std::ldexp(1.0, int(size_of(type)) * 8);
  bool is_unsigned =
      type == DType::kU8 || type == DType::kU16 || type == DType::kU32 || type == DType::kU64;
  // Half of it for what has a sign; a negative value turns into a large unsigned one.
  bool stays = !is_unsigned && grid.most < end / 2;
  return {stays ? grid.most : end, 1};
}

Approximation Approximator::rounded(DType type, Approximation const& exact, double units) {
  Approximation made = exact;
  if (!is_float(type)) {
    made.grid = wrapped(type, exact.grid);
  } else if (bool(exact.error) || !fits(type, exact.grid)) {
    Expr rounding = abs(exact.value) * double_imm(units * unit(type)) + double_imm(least(type));
    made.error = sum(exact.error, rounding);
    made.grid = {exact.grid.most * (1 + 4 * units * unit(type)) + least(type), 0};
  }
  return made;
}

Approximation Approximator::of(Expr const& e) const {
  auto literal = [](ir::FloatImm const& node) -> Approximation {
    NDArray one = NDArray::create(DType::kF64, {1}).value();
    one.set_value(0, node.value);
    return {double_imm(node.value), nullptr, grid_of(one)};
  };
  auto vector = [&](auto const&) -> Approximation {
    TW_ASSERT(false, "vectors are made later, by lowering");
    return {e, nullptr, kNone};
  };
  return ir::dispatch(*e, ir::overloaded{
                              literal,
                              [&](ir::IntImm const& node) -> Approximation {
                                return {e, nullptr, {std::fabs(double(node.value)), 1}};
                              },
                              [&](ir::Variable const& node) { return variable(e, node.name); },
                              [&](ir::Load const& node) { return load(node); },
                              [&](ir::Unary const& node) { return unary(node); },
                              [&](ir::Binary const& node) { return binary(node); },
                              [&](ir::Select const& node) { return select(node); },
                              [&](ir::Cast const& node) { return cast(node); },
                              [&](ir::Ramp const& node) { return vector(node); },
                              [&](ir::Broadcast const& node) { return vector(node); },
                              [&](ir::IntrinsicValue const& node) { return vector(node); },
                          });
}

Approximation Approximator::variable(Expr const& e, std::string const& name) const {
  for (auto const* list : {&stage_.axes, &stage_.reduce})
    for (Axis const& axis : *list)
      if (axis.name == name) return {e, nullptr, {double(axis.extent), 1}};
  return {e, nullptr, kNone};
}

Approximation Approximator::operand(Expr const& e) const {
  Approximation a = of(e);
  bool computed = !e.as<ir::Load>() && !e.as<ir::FloatImm>();  // a tensor's error says it already
  if (computed && may_overflow(e.type(), a.grid))
    a.peak = larger(a.peak, share_of(e.type(), sum(abs(a.value), times(a.error, double_imm(2)))));
  return a;
}

/// An index is taken as it is: one that rounding could change is a program's own fault.
Approximation Approximator::load(ir::Load const& read) const {
  KnownTensor const& tensor = known_.at(read.buffer->name);
  std::vector<Expr> indices;
  for (Expr const& index : read.indices) indices.push_back(of(index).value);
  Expr value = ir::load(tensor.value, indices);
  if (is_float(read.type)) value = as_double(value);
  Expr error = tensor.error ? ir::load(tensor.error, indices) : nullptr;
  if (tensor.overflows) {
    Expr size = sum(abs(value), times(error, double_imm(2)));
    error = sum(error, overflow(share_of(read.type, size)));
  }
  return {value, error, tensor.grid, nullptr};
}

Approximation Approximator::unary(ir::Unary const& node) const {
  bool passes = node.op == UnaryOp::kNeg || node.op == UnaryOp::kAbs || node.op == UnaryOp::kNot;
  Approximation a = passes ? of(node.a) : operand(node.a);
  Expr value = ir::unary(node.op, a.value);
  switch (node.op) {
    case UnaryOp::kNeg:
    case UnaryOp::kAbs:
    case UnaryOp::kNot:
      return {value, a.error, a.grid, a.peak};
    case UnaryOp::kFloor:
    case UnaryOp::kCeil:
    case UnaryOp::kRound: {
      Grid whole{a.grid.most + 1, a.grid.step > 0 ? 1.0 : 0};
      if (!a.error || !is_float(node.type)) return {value, a.error, whole, a.peak};
      Expr low = ir::unary(node.op, a.value - a.error),
           high = ir::unary(node.op, a.value + a.error);
      return {value, high - low, {whole.most, 0}, a.peak};
    }
    case UnaryOp::kBitNot:
      return {value, unbounded(a.error), wrapped(node.type, kNone), a.peak};
    case UnaryOp::kPopCount:
      return {value, unbounded(a.error), {64, 1}, a.peak};
    case UnaryOp::kExp:
    case UnaryOp::kLog:
    case UnaryOp::kSqrt:
    case UnaryOp::kTanh:
    case UnaryOp::kErf:
    case UnaryOp::kSin:
    case UnaryOp::kCos:
      return function(node, a);
  }
  return function(node, a);
}

/// Each argument's error times the largest derivative near it, and the function's own roundings.
Approximation Approximator::function(ir::Unary const& node, Approximation const& a) const {
  Expr value = ir::unary(node.op, a.value), error;
  if (a.error) {
    Expr low = abs(a.value) - a.error;
    switch (node.op) {
      case UnaryOp::kExp:
        error = value * (ir::unary(UnaryOp::kExp, a.error) - double_imm(1));
        break;
      case UnaryOp::kLog:
        error = ir::select(is_any(low), a.error / low, double_imm(kInfinity));
        break;
      case UnaryOp::kSqrt:
        error = ir::min(a.error / value, ir::unary(UnaryOp::kSqrt, a.error));
        error = ir::select(is_any(value), error, ir::unary(UnaryOp::kSqrt, a.error));
        break;
      case UnaryOp::kTanh: {
        Expr near = ir::unary(UnaryOp::kTanh, ir::max(low, double_imm(0)));
        error = a.error * (double_imm(1) - near * near);
        break;
      }
      case UnaryOp::kErf:
        error = a.error * double_imm(1.1284);
        break;
      case UnaryOp::kSin:
      case UnaryOp::kCos:
        error = a.error;
        break;
      case UnaryOp::kNeg:
      case UnaryOp::kNot:
      case UnaryOp::kAbs:
      case UnaryOp::kFloor:
      case UnaryOp::kCeil:
      case UnaryOp::kRound:
      case UnaryOp::kBitNot:
      case UnaryOp::kPopCount:
        error = unbounded(a.error);  // no functions: `unary` does them
        break;
    }
  }
  double own =
      std::max(kFunctionUnits, node.type == DType::kF64 ? kFunctionError / unit(node.type) : 0);
  return rounded(node.type, {value, error, {most_of(node.op, a.grid.most), 0}, a.peak}, own);
}

Approximation Approximator::binary(ir::Binary const& node) const {
  bool passes = node.op == BinaryOp::kMin || node.op == BinaryOp::kMax;
  Approximation a = passes ? of(node.a) : operand(node.a);
  Approximation b = passes ? of(node.b) : operand(node.b);
  Approximation made = ir::is_compare(node.op) ? condition(node, a, b) : arithmetic(node, a, b);
  made.peak = larger(a.peak, b.peak);
  return made;
}

Approximation Approximator::arithmetic(ir::Binary const& node, Approximation const& a,
                                       Approximation const& b) const {
  Expr value = ir::binary(node.op, a.value, b.value);
  Expr x =
      is_float(node.type) || bool(a.error) || bool(b.error) ? abs(as_double(a.value)) : nullptr;
  Expr y = x ? abs(as_double(b.value)) : nullptr;
  switch (node.op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
      return rounded(node.type, {value,
                                 sum(a.error, b.error),
                                 {a.grid.most + b.grid.most, std::min(a.grid.step, b.grid.step)}});
    case BinaryOp::kMul: {
      Expr both = bool(a.error) && bool(b.error) ? a.error * b.error : nullptr;
      return rounded(node.type,
                     {value,
                      sum(both, sum(times(a.error, y), times(b.error, x))),
                      {most_of_product(a.grid.most, b.grid.most), a.grid.step * b.grid.step}});
    }
    case BinaryOp::kDiv: {
      Expr least_divisor = b.error ? y - b.error : y;
      Expr error = sum(a.error, times(b.error, abs(value)));
      if (error)
        error = ir::select(is_any(least_divisor), error / least_divisor, double_imm(kInfinity));
      return rounded(node.type, {value, error, {most_of_product(a.grid.most, kInfinity), 0}});
    }
    case BinaryOp::kMin:
    case BinaryOp::kMax:
      return {value, larger(a.error, b.error), joined(a.grid, b.grid)};
    case BinaryOp::kPow: {
      Expr low = a.error ? x - a.error : x;
      Expr error = sum(times(a.error, y / low), times(b.error, abs(ir::unary(UnaryOp::kLog, x))));
      // The logarithm is rounded, too: its error counts as often as the exponent's size.
      Expr own = (double_imm(kFunctionUnits) + y * abs(ir::unary(UnaryOp::kLog, x))) *
                 double_imm(unit(node.type));
      own = ir::select(is_any(x), own, double_imm(unit(node.type)));
      return {value, abs(value) * sum(error, own) + double_imm(least(node.type)), kNone};
    }
    case BinaryOp::kAnd:
    case BinaryOp::kOr:
      return {value, larger(a.error, b.error), {1, 1}};
    case BinaryOp::kBitAnd:
    case BinaryOp::kBitOr:
    case BinaryOp::kBitXor:
    case BinaryOp::kShiftLeft:
    case BinaryOp::kShiftRight:
      return {value, unbounded(larger(a.error, b.error)), wrapped(node.type, kNone)};
    case BinaryOp::kFmod:  // exact, and it jumps
    case BinaryOp::kFloorDiv:
    case BinaryOp::kFloorMod:
    case BinaryOp::kLt:
    case BinaryOp::kLe:
    case BinaryOp::kEq:
    case BinaryOp::kNe:
      break;  // comparisons are conditions
  }
  return {value, unbounded(larger(a.error, b.error)), joined(a.grid, b.grid)};
}

/// May be the other one where the two sides' errors reach one another.
Approximation Approximator::condition(ir::Binary const& node, Approximation const& a,
                                      Approximation const& b) const {
  Expr value = ir::binary(node.op, a.value, b.value), errors = sum(a.error, b.error);
  if (!errors) return {value, nullptr, {1, 1}};
  Expr apart = abs(as_double(a.value) - as_double(b.value));
  return {value, ir::select(errors < apart, double_imm(0), double_imm(1)), {1, 1}};
}

/// Where the condition may turn, both sides are right. A side that an index condition guards is
/// not looked at: it may read outside of its tensor.
Approximation Approximator::select(ir::Select const& node) const {
  Approximation c = of(node.condition), a = of(node.a), b = of(node.b);
  Approximation made{ir::select(c.value, a.value, b.value), nullptr, joined(a.grid, b.grid),
                     c.peak};
  if (bool(a.peak) || bool(b.peak))
    made.peak = larger(c.peak, ir::select(c.value, exact(a.peak), exact(b.peak)));
  if (!a.error && !b.error && !c.error) return made;
  made.error = ir::select(c.value, exact(a.error), exact(b.error));
  if (!c.error) return made;
  made.grid.step = 0;
  Expr other = double_imm(kInfinity);
  if (node.type != DType::kBool && !has_index_condition(node.condition)) {
    other = abs(as_double(a.value) - as_double(b.value)) + sum(exact(a.error), exact(b.error));
    made.peak = larger(c.peak, larger(a.peak, b.peak));
  }
  made.error = ir::select(is_any(c.error), other, made.error);
  return made;
}

Approximation Approximator::cast(ir::Cast const& node) const {
  Approximation a = operand(node.a);
  DType from = node.a.type(), to = node.type;
  if (is_float(to))
    return rounded(to, {as_double(a.value), a.error, a.grid, a.peak},
                   is_float(from) && to == from ? 0 : 1);
  Expr value = ir::cast(to, a.value);
  if (!is_float(from) || !a.error) return {value, a.error, wrapped(to, a.grid), a.peak};
  Expr low = ir::cast(to, a.value - a.error), high = ir::cast(to, a.value + a.error);
  // What is far apart may wrap around to what is near.
  Expr apart = ir::select(a.error <= double_imm(std::ldexp(1.0, int(size_of(to)) * 8 - 2)),
                          abs(as_double(high) - as_double(low)), double_imm(kInfinity));
  return {value, apart, kNone, a.peak};
}

}  // namespace tw::te
