#include "engine/arith/simplify.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <set>

#include "engine/arith/intervals.h"
#include "engine/arith/linear.h"
#include "engine/arith/recombine_divmod.h"
#include "engine/ir/bits.h"
#include "engine/ir/fields.h"
#include "engine/ir/program.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/speculation.h"
#include "engine/tensor/integers.h"

namespace tw::arith {
namespace {

using namespace ir;

constexpr int64_t kFar = int64_t(1) << 60;  // beyond this, "nothing is known"

std::optional<Interval> checked(__int128 low, __int128 high) {
  if (low < -__int128(kFar) || high > __int128(kFar)) return std::nullopt;
  return Interval{int64_t(low), int64_t(high)};
}

WideInterval wide(Interval a) { return {a.low, a.high}; }

/// As far as it stays in its type: what wraps may be anything.
std::optional<Interval> held(WideInterval const& exact, DType type) {
  if (exact.empty() || !within(exact, values_of(type))) return std::nullopt;
  return checked(exact.low, exact.high);
}

/// What is not known of an operand may still be bounded by the other one, as in x % 8.
std::optional<Interval> binary_bounds(Binary const& node, Ranges const& ranges) {
  if (is_compare(node.op) || node.op == BinaryOp::kAnd || node.op == BinaryOp::kOr)
    return Interval{0, 1};
  DType type = node.type;
  if (!is_integer(type)) return std::nullopt;
  auto a = bounds(node.a, ranges), b = bounds(node.b, ranges);
  return held(
      interval_of(node.op, type, a ? wide(*a) : values_of(type), b ? wide(*b) : values_of(type)),
      type);
}

std::optional<Interval> unary_bounds(Unary const& node, Ranges const& ranges) {
  if (is_float(node.type)) return std::nullopt;
  auto a = bounds(node.a, ranges);
  return held(interval_of(node.op, node.type, a ? wide(*a) : values_of(node.type)), node.type);
}

/// The part of a sum whose factors are multiples of `divisor`, divided by it, and the rest.
std::pair<Linear, Linear> split_by(Linear const& sum, int64_t divisor) {
  Linear quotient, rest;
  for (Linear::Term const& term : sum.terms) {
    if (term.factor % divisor == 0)
      quotient.terms.push_back({term.term, term.factor / divisor});
    else
      rest.terms.push_back(term);
  }
  quotient.constant = floor_quotient(sum.constant, divisor);
  rest.constant = sum.constant - quotient.constant * divisor;
  return {std::move(quotient), std::move(rest)};
}

std::optional<Interval> bounds_of(Linear const& linear, Ranges const& ranges) {
  __int128 low = linear.constant, high = linear.constant;
  for (Linear::Term const& term : linear.terms) {
    auto range = bounds(term.term, ranges);
    if (!range) return std::nullopt;
    auto scaled =
        held(interval_of(BinaryOp::kMul, DType::kI64, wide(*range), {term.factor, term.factor}),
             DType::kI64);
    if (!scaled) return std::nullopt;
    low += scaled->low;
    high += scaled->high;
  }
  return checked(low, high);
}

Expr plain_div(Linear const& a, int64_t divisor) {
  return ir::binary(BinaryOp::kFloorDiv, to_expr(a), int_imm(divisor));
}

class Simplifier : public Rewriter {
public:
  explicit Simplifier(Ranges ranges) : ranges_(std::move(ranges)) {}

  Expr visit(Expr const& e) override {
    if (auto const* node = e.as<Select>()) return choose(*node, e);
    Expr next = rebuild(e);
    if (next.lanes() > 1) return next;
    if (auto const* node = next.as<Binary>()) return simplify_binary(*node, next);
    if (auto const* node = next.as<Unary>(); node && node->op == UnaryOp::kNot)
      if (auto value = as_int(node->a)) return bool_imm(!*value);
    if (auto const* v = next.as<Variable>())
      if (auto range = ranges_.find(v->name); range && range->is_point() && is_integer(v->type))
        return int_imm(range->low, v->type);
    return next;
  }

  /// Statements that bring no range and no condition are what their fields are.
  Stmt visit(Stmt const& s) override {
    return dispatch(*s, overloaded{
                            [&](For const& node) { return loop(node, s); },
                            [&](Block const& node) { return block(node); },
                            [&](If const& node) { return branch(node, s); },
                            [&](Let const& node) { return named(node, s); },
                            [&](auto const&) { return rebuild(s); },
                        });
  }

private:
  /// The variable itself is kept: it names the value.
  Stmt named(Let const& node, Stmt const& s) {
    Expr value = visit(node.value);
    bool is_size = ranges_.find(node.var.to<Variable>().name).has_value();
    if (reads_tensor(value) && !is_size) data_.insert(node.var.to<Variable>().name);
    Stmt body = visit(node.body);
    if (value.same_as(node.value) && body.same_as(node.body)) return s;
    return make_from<Let>(node.origin, node.var, value, body);
  }

  Expr choose(Select const& node, Expr const& e) {
    Expr condition = visit(node.condition);
    if (auto value = as_int(condition)) return visit(*value ? node.a : node.b);
    Expr a = visit(node.a), b = visit(node.b);
    if (condition.same_as(node.condition) && a.same_as(node.a) && b.same_as(node.b)) return e;
    return make<Select>(condition, a, b);
  }

  Expr simplify_binary(Binary const& node, Expr const& e) {
    DType type = node.a.type();
    if (node.op == BinaryOp::kAnd) return node.a && node.b;
    if (node.op == BinaryOp::kOr) return node.a || node.b;
    if (type != DType::kI64) return e;
    switch (node.op) {
      case BinaryOp::kAdd:
      case BinaryOp::kSub:
      case BinaryOp::kMul:
        return to_expr(with_divmod_recombined(to_linear(e)));
      case BinaryOp::kFloorDiv:
        return divide(node, e);
      case BinaryOp::kFloorMod:
        return remainder(node, e);
      case BinaryOp::kMin:
      case BinaryOp::kMax:
        return extremum(node, e);
      case BinaryOp::kLt:
      case BinaryOp::kLe:
      case BinaryOp::kEq:
      case BinaryOp::kNe:
        return compare(node, e);
      case BinaryOp::kBitAnd:
      case BinaryOp::kBitOr:
      case BinaryOp::kBitXor:
      case BinaryOp::kShiftLeft:
      case BinaryOp::kShiftRight:
        return bits(node, e);
      case BinaryOp::kDiv:
      case BinaryOp::kPow:
      case BinaryOp::kFmod:
      case BinaryOp::kAnd:
      case BinaryOp::kOr:
        return e;  // of floats; of conditions, done above
    }
    return e;
  }

  /// Where the range is known a shift is a product or a quotient, and the low bits are a remainder:
  /// what the analyses of indices understand. Elsewhere the product could leave the 64 bits.
  Expr bits(Binary const& node, Expr const& e) {
    auto a = as_int(node.a), b = as_int(node.b);
    if (a && b) return int_imm(bitwise(node.op, *a, *b, DType::kI64));
    if (!b || *b < 0 || !bounds(node.a, ranges_)) return e;
    bool places = *b < 60;
    if (node.op == BinaryOp::kShiftLeft && places && bounds(e, ranges_))
      return visit(ir::binary(BinaryOp::kMul, node.a, int_imm(int64_t(1) << *b)));
    if (node.op == BinaryOp::kShiftRight && places)
      return visit(ir::binary(BinaryOp::kFloorDiv, node.a, int_imm(int64_t(1) << *b)));
    bool low_bits = *b < kFar && std::has_single_bit(uint64_t(*b) + 1);
    if (node.op == BinaryOp::kBitAnd && low_bits)
      return visit(ir::binary(BinaryOp::kFloorMod, node.a, int_imm(*b + 1)));
    return e;
  }

  /// Whether a sum is the number that its terms add up to, and no wrapped one. Indices are, as far
  /// as their ranges are not known (engine/ir/expr.h); data may be anything.
  bool never_wraps(Linear const& sum) const {
    bool one = sum.terms.size() == 1 && sum.terms[0].factor == 1 && sum.constant == 0;
    if (one || bounds_of(sum, ranges_)) return true;
    bool data = false, open = false;
    for (Linear::Term const& term : sum.terms)
      walk(term.term, [&](Expr const& part) {
        auto const* v = part.as<Variable>();
        data =
            data || part.as<Load>() || part.as<IntrinsicValue>() || (v && data_.contains(v->name));
        open = open || (v && !ranges_.find(v->name));
        return !data;
      });
    return open && !data;
  }

  Expr divide(Binary const& node, Expr const& e) {
    auto divisor = as_int(node.b);
    if (!divisor || *divisor <= 0) return e;
    Linear sum = to_linear(node.a);
    if (!never_wraps(sum)) return e;
    auto [quotient, rest] = split_by(sum, *divisor);
    auto range = bounds_of(rest, ranges_);
    if (range && floor_quotient(range->low, *divisor) == floor_quotient(range->high, *divisor)) {
      quotient.constant += floor_quotient(range->low, *divisor);
      return to_expr(quotient);
    }
    // (x // a) // b == x // (a*b)
    if (auto const* inner = node.a.as<Binary>(); inner && inner->op == BinaryOp::kFloorDiv)
      if (int64_t both = 0;
          !__builtin_mul_overflow(as_int(inner->b).value_or(0), *divisor, &both) && both > 0)
        return visit(ir::binary(BinaryOp::kFloorDiv, inner->a, int_imm(both)));
    if (Expr reduced = divide_by_common(rest, *divisor, quotient)) return reduced;
    if (quotient.terms.empty() && quotient.constant == 0) return plain_div(rest, *divisor);
    Linear total = quotient;
    total.terms.push_back({plain_div(rest, *divisor), 1});
    return to_expr(add(total, {}));
  }

  /// A sum as coarse * step + fine with 0 <= fine < step, where the step divides `divisor`: then
  /// sum // divisor == coarse // (divisor/step), and fine stays as it is in sum % divisor.
  struct Coarse {
    int64_t step = 1;
    Linear coarse, fine;
  };
  std::optional<Coarse> coarse_of(Linear const& sum, int64_t divisor) {
    std::set<int64_t, std::greater<>> steps;
    for (Linear::Term const& term : sum.terms) steps.insert(std::gcd(divisor, term.factor));
    for (int64_t step : steps) {
      if (step <= 1) continue;
      auto [coarse, fine] = split_by(sum, step);
      auto range = bounds_of(fine, ranges_);
      if (range && range->low >= 0 && range->high < step)
        return Coarse{step, std::move(coarse), std::move(fine)};
    }
    return std::nullopt;
  }

  /// (6*x + 2) // 4 == (3*x + 1) // 2; (196*c + y) // 784 == c // 4 for y below 196.
  Expr divide_by_common(Linear const& rest, int64_t divisor, Linear const& quotient) {
    auto parts = coarse_of(rest, divisor);
    if (!parts) return nullptr;
    Expr divided = visit(
        ir::binary(BinaryOp::kFloorDiv, to_expr(parts->coarse), int_imm(divisor / parts->step)));
    return to_expr(add(to_linear(divided), quotient));
  }

  Expr remainder(Binary const& node, Expr const& e) {
    auto divisor = as_int(node.b);
    if (!divisor || *divisor <= 0) return e;
    Linear sum = to_linear(node.a);
    if (!never_wraps(sum)) return e;
    auto [quotient, rest] = split_by(sum, *divisor);
    auto range = bounds_of(rest, ranges_);
    if (range) {
      int64_t first = floor_quotient(range->low, *divisor);
      if (first == floor_quotient(range->high, *divisor)) {
        rest.constant -= first * *divisor;
        return to_expr(rest);
      }
    }
    // (196*c + y) % 784 == 196*(c % 4) + y for y below 196
    auto parts = coarse_of(rest, *divisor);
    if (!parts || parts->step == *divisor)
      return ir::binary(BinaryOp::kFloorMod, to_expr(rest), int_imm(*divisor));
    Expr turns = visit(
        ir::binary(BinaryOp::kFloorMod, to_expr(parts->coarse), int_imm(*divisor / parts->step)));
    return to_expr(add(scale(to_linear(turns), parts->step), parts->fine));
  }

  /// How far `a` is above `b`, where neither wraps.
  std::optional<Interval> difference(Binary const& node) const {
    Linear a = to_linear(node.a), b = to_linear(node.b);
    if (!never_wraps(a) || !never_wraps(b)) return std::nullopt;
    return bounds_of(add(a, b, -1), ranges_);
  }

  Expr extremum(Binary const& node, Expr const& e) {
    auto range = difference(node);
    if (!range) return e;
    bool is_min = node.op == BinaryOp::kMin;
    if (range->high <= 0) return is_min ? node.a : node.b;
    if (range->low >= 0) return is_min ? node.b : node.a;
    return e;
  }

  Expr compare(Binary const& node, Expr const& e) {
    auto range = difference(node);
    if (!range) return e;
    auto decided = [&](bool yes, bool no) {
      return yes ? bool_imm(true) : no ? bool_imm(false) : e;
    };
    switch (node.op) {
      case BinaryOp::kLt:
        return decided(range->high < 0, range->low >= 0);
      case BinaryOp::kLe:
        return decided(range->high <= 0, range->low > 0);
      case BinaryOp::kEq:
        return decided(range->low == 0 && range->high == 0, range->low > 0 || range->high < 0);
      case BinaryOp::kNe:
        return decided(range->low > 0 || range->high < 0, range->low == 0 && range->high == 0);
      default:
        return e;
    }
  }

  Stmt loop(For const& node, Stmt const& s) {
    Expr extent = visit(node.extent);
    if (auto range = bounds(extent, ranges_))
      ranges_.set(node.name(), {0, std::max<int64_t>(range->high - 1, 0)});
    Stmt body = visit(node.body);
    ranges_.erase(node.name());
    if (extent.same_as(node.extent) && body.same_as(node.body)) return s;
    return make_from<For>(node.origin, node.id, node.var, extent, node.loop_kind, body, node.bind);
  }

  Stmt block(Block const& node) {
    std::vector<IterVar> iters = node.iters;
    for (IterVar& iter : iters) {
      iter.extent = visit(iter.extent);
      iter.binding = visit(iter.binding);
    }
    Expr predicate = node.predicate ? visit(node.predicate) : nullptr;
    if (predicate && is_int(predicate, 1)) predicate = nullptr;
    for (IterVar const& iter : iters)
      if (auto range = bounds(iter.extent, ranges_))
        ranges_.set(iter.name(), {0, std::max<int64_t>(range->high - 1, 0)});
    Stmt init = node.init ? visit(node.init) : nullptr;
    Stmt body = visit(node.body);
    for (IterVar const& iter : iters) ranges_.erase(iter.name());
    return make_from<Block>(node.origin, node.id, node.name, node.op, std::move(iters), predicate,
                            init, body);
  }

  Stmt branch(If const& node, Stmt const& s) {
    Expr condition = visit(node.condition);
    if (auto value = as_int(condition)) {
      if (*value) return visit(node.then_body);
      return node.else_body ? visit(node.else_body) : make<Seq>(std::vector<Stmt>{});
    }
    Stmt then_body = visit(node.then_body);
    Stmt else_body = node.else_body ? visit(node.else_body) : nullptr;
    if (condition.same_as(node.condition) && then_body.same_as(node.then_body) &&
        else_body.same_as(node.else_body))
      return s;
    return make_from<If>(node.origin, condition, then_body, else_body);
  }

  Ranges ranges_;
  std::set<std::string> data_;  ///< names of values that are read from tensors
};

}  // namespace

std::optional<Interval> Ranges::find(std::string const& name) const {
  auto found = ranges_.find(name);
  return found == ranges_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Interval> bounds(Expr const& e, Ranges const& ranges) {
  if (auto value = as_int(e))  // the upper half of u64 is written as negative numbers
    return e.type() == DType::kU64 && *value < 0 ? std::nullopt
                                                 : std::optional(Interval{*value, *value});
  if (auto const* v = e.as<Variable>()) return ranges.find(v->name);
  if (auto const* node = e.as<Binary>()) return binary_bounds(*node, ranges);
  if (auto const* node = e.as<Unary>()) return unary_bounds(*node, ranges);
  if (auto const* node = e.as<Select>()) {
    auto a = bounds(node->a, ranges), b = bounds(node->b, ranges);
    if (!a || !b) return std::nullopt;
    return Interval{std::min(a->low, b->low), std::max(a->high, b->high)};
  }
  return std::nullopt;
}

Expr simplify(Expr const& e, Ranges const& ranges) { return Simplifier(ranges).visit(e); }
bool always(Expr const& condition, Ranges const& ranges) {
  return is_int(simplify(condition, ranges), 1);
}
bool never(Expr const& condition, Ranges const& ranges) {
  return is_int(simplify(condition, ranges), 0);
}
ir::Stmt simplify(ir::Stmt const& s, Ranges ranges) {
  return Simplifier(std::move(ranges)).visit(s);
}

}  // namespace tw::arith
