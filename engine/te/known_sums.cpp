#include "engine/te/known_sums.h"

#include <numeric>
#include <optional>

#include "engine/ir/rewrite.h"

namespace tw::te {
namespace {

using arith::Linear;
using arith::WideInterval;
using ir::BinaryOp;

WideInterval const kAny = arith::values_of(DType::kI64);

/// The quotient towards the other end, so that it is a bound of whole numbers.
__int128 divided_down(__int128 a, __int128 b) { return a / b - (a % b != 0 && a < 0 ? 1 : 0); }

WideInterval wrapped(WideInterval exact, DType type) {
  WideInterval all = arith::values_of(type);
  return exact.empty() || within(exact, all) ? exact : all;
}

bool same_terms(Linear const& a, Linear const& b) {
  if (a.terms.size() != b.terms.size()) return false;
  for (size_t i = 0; i < a.terms.size(); ++i)
    if (a.terms[i].factor != b.terms[i].factor || !ir::equal(a.terms[i].term, b.terms[i].term))
      return false;
  return true;
}

/// What the factors have in common, with the sign of the first one.
int64_t common_factor(Linear const& sum) {
  int64_t common = 0;
  for (Linear::Term const& term : sum.terms) common = std::gcd(common, term.factor);
  return sum.terms.front().factor < 0 ? -common : common;
}

bool has_small_factors(Linear const& sum) {
  constexpr int64_t kLarge = int64_t(1) << 62;
  for (Linear::Term const& term : sum.terms)
    if (term.factor < -kLarge || term.factor > kLarge) return false;
  return !sum.terms.empty();
}

std::optional<int64_t> extent_in(Stage const& stage, std::string const& axis) {
  for (auto const* list : {&stage.axes, &stage.reduce})
    for (Axis const& candidate : *list)
      if (candidate.name == axis) return candidate.extent;
  return std::nullopt;
}

}  // namespace

WideInterval KnownSums::of(Expr const& e) const {
  if (impossible_) return {1, 0};
  if (is_float(e.type())) return kAny;
  if (e.type() != DType::kI64) return term(e);
  Linear linear = arith::to_linear(e);
  bool one = linear.terms.size() == 1 && linear.terms[0].factor == 1 && linear.constant == 0;
  if (one) return term(linear.terms[0].term);
  return intersection(wrapped(sum(linear), DType::kI64), said_of(e));
}

/// By conditions that compare the expression as it is.
WideInterval KnownSums::said_of(Expr const& e) const {
  WideInterval range = kAny;
  for (Fact const& fact : facts_)
    if (fact.sum.terms.size() == 1 && ir::equal(fact.sum.terms[0].term, e))
      range = intersection(range, fact.range);
  return range;
}

/// An expression that is no sum, and what is known of it as a whole.
WideInterval KnownSums::term(Expr const& e) const {
  WideInterval range = parts(e);
  return e.type() == DType::kI64 ? intersection(range, said_of(e)) : range;
}

WideInterval KnownSums::sum(Linear const& linear) const {
  WideInterval total{linear.constant, linear.constant};
  for (Linear::Term const& part : linear.terms) {
    WideInterval range = term(part.term);
    if (range.empty()) return range;
    WideInterval scaled =
        arith::interval_of(BinaryOp::kMul, DType::kI64, range, {part.factor, part.factor});
    total = {total.low + scaled.low, total.high + scaled.high};
  }
  if (!has_small_factors(linear)) return total;
  Linear bare = linear;
  bare.constant = 0;
  int64_t common = common_factor(bare);
  for (Linear::Term& part : bare.terms) part.factor /= common;
  for (Fact const& fact : facts_) {
    if (!same_terms(fact.sum, bare)) continue;
    WideInterval scaled =
        arith::interval_of(BinaryOp::kMul, DType::kI64, fact.range, {common, common});
    total = intersection(total, {scaled.low + linear.constant, scaled.high + linear.constant});
  }
  return total;
}

WideInterval KnownSums::parts(Expr const& e) const {
  if (auto const* literal = e.as<ir::IntImm>()) {
    bool upper = e.type() == DType::kU64 && literal->value < 0;
    return upper ? arith::values_of(DType::kU64) : WideInterval{literal->value, literal->value};
  }
  if (auto const* axis = e.as<ir::Variable>()) {
    auto extent = extent_in(*stage_, axis->name);
    return extent ? WideInterval{0, *extent - 1} : kAny;
  }
  if (auto const* node = e.as<ir::Select>()) return either(*node);
  if (auto const* node = e.as<ir::Cast>(); node && !is_float(node->a.type()))
    return wrapped(of(node->a), e.type());
  if (auto const* node = e.as<ir::Unary>(); node && !is_float(node->a.type()))
    return wrapped(arith::interval_of(node->op, node->a.type(), of(node->a)), e.type());
  if (auto const* node = e.as<ir::Binary>(); node && !is_float(node->a.type()))
    return wrapped(arith::interval_of(node->op, node->a.type(), of(node->a), of(node->b)),
                   e.type());
  return arith::values_of(e.type());
}

WideInterval KnownSums::either(ir::Select const& node) const {
  KnownSums chosen = *this, other = *this;
  chosen.assume(node.condition, true);
  other.assume(node.condition, false);
  return hull(chosen.of(node.a), other.of(node.b));
}

void KnownSums::assume(Expr const& condition, bool holds) {
  if (auto const* node = condition.as<ir::Unary>(); node && node->op == ir::UnaryOp::kNot)
    return assume(node->a, !holds);
  auto const* node = condition.as<ir::Binary>();
  if (!node) return;
  if (node->op == (holds ? BinaryOp::kAnd : BinaryOp::kOr)) {
    assume(node->a, holds);
    return assume(node->b, holds);
  }
  if (!ir::is_compare(node->op) || node->a.type() != DType::kI64) return;
  switch (node->op) {
    case BinaryOp::kLt:
      return holds ? compare(BinaryOp::kLt, node->a, node->b)
                   : compare(BinaryOp::kLe, node->b, node->a);
    case BinaryOp::kLe:
      return holds ? compare(BinaryOp::kLe, node->a, node->b)
                   : compare(BinaryOp::kLt, node->b, node->a);
    case BinaryOp::kEq:
      return compare(holds ? BinaryOp::kEq : BinaryOp::kNe, node->a, node->b);
    default:
      return compare(holds ? BinaryOp::kNe : BinaryOp::kEq, node->a, node->b);
  }
}

/// The expression as a sum, where the sum of its terms is its value and no wrapped one; else in one
/// piece.
Linear KnownSums::exact_sum(Expr const& e) const {
  Linear linear = arith::to_linear(e);
  bool one = linear.terms.size() == 1 && linear.terms[0].factor == 1 && linear.constant == 0;
  if (one || within(sum(linear), kAny)) return linear;
  linear.terms = {{e, 1}};
  linear.constant = 0;
  return linear;
}

/// a op b, as what is known of the difference a - b.
void KnownSums::compare(BinaryOp op, Expr const& a, Expr const& b) {
  Linear difference = arith::add(exact_sum(a), exact_sum(b), -1);
  WideInterval known = sum(difference);
  if (op == BinaryOp::kLt) known.high = std::min<__int128>(known.high, -1);
  if (op == BinaryOp::kLe) known.high = std::min<__int128>(known.high, 0);
  if (op == BinaryOp::kEq) known = intersection(known, {0, 0});
  if (op == BinaryOp::kNe && known.low == 0) ++known.low;
  if (op == BinaryOp::kNe && known.high == 0) --known.high;
  __int128 constant = difference.constant;
  difference.constant = 0;
  learn(std::move(difference), {known.low - constant, known.high - constant});
}

void KnownSums::learn(Linear sum, WideInterval range) {
  impossible_ = impossible_ || range.empty();
  if (!has_small_factors(sum)) return;
  int64_t common = common_factor(sum);
  for (Linear::Term& part : sum.terms) part.factor /= common;
  if (common < 0) range = {-range.high, -range.low};
  __int128 by = common < 0 ? -__int128(common) : common;
  range = {-divided_down(-range.low, by), divided_down(range.high, by)};
  facts_.push_back({std::move(sum), range});
}

}  // namespace tw::te
