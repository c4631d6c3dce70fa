#include "engine/arith/linear_rows.h"

#include <algorithm>
#include <cstdlib>

#include "engine/arith/linear.h"
#include "engine/ir/expr.h"
#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"

namespace tw {

using namespace ir;

namespace {

bool is_small(LinearRow const& row) {
  return std::abs(row.constant) < kLargestRow &&
         std::ranges::all_of(row.terms,
                             [](auto const& term) { return std::abs(term.second) < kLargestRow; });
}

}  // namespace

std::optional<LinearRow> LinearRows::row_of(Expr const& e, IntegerSystem& system) {
  arith::Linear linear = arith::to_linear(e);
  LinearRow row{{}, linear.constant};
  for (auto const& term : linear.terms) {
    auto part = term_row(term.term, system);
    if (!part || std::abs(term.factor) >= kLargestRow || !is_small(*part)) return std::nullopt;
    row.add(*part, term.factor);
  }
  return is_small(row) ? std::optional(row) : std::nullopt;
}

std::optional<LinearRow> LinearRows::term_row(Expr const& e, IntegerSystem& system) {
  if (auto const* v = e.as<Variable>()) {
    auto found = variables_.find(v->name);
    if (found == variables_.end()) return std::nullopt;
    return LinearRow{{{found->second, 1}}, 0};
  }
  auto const* node = e.as<Binary>();
  return node ? binary_row(*node, system) : std::nullopt;
}

std::optional<LinearRow> LinearRows::binary_row(Binary const& node, IntegerSystem& system) {
  if (node.op == BinaryOp::kMin || node.op == BinaryOp::kMax) return extreme_of(node, system);
  auto by = as_int(node.b);
  if (!by) return std::nullopt;
  if (node.op == BinaryOp::kFloorDiv || node.op == BinaryOp::kFloorMod)
    return divided(node.a, *by, node.op == BinaryOp::kFloorMod, system);
  // The bits of a number, negative ones in two's complement, are its digits of base 2.
  bool is_mask = *by > 0 && (*by & (*by + 1)) == 0;
  if (node.op == BinaryOp::kBitAnd && is_mask) return divided(node.a, *by + 1, true, system);
  bool shifts = *by >= 0 && *by < 31;
  if (node.op == BinaryOp::kShiftRight && shifts)
    return divided(node.a, int64_t(1) << *by, false, system);
  bool wide = node.op == BinaryOp::kShiftLeft && shifts && node.a.type() == DType::kI64;
  return wide ? row_of(node.a * (int64_t(1) << *by), system) : std::nullopt;
}

std::optional<LinearRow> LinearRows::divided(Expr const& e, int64_t divisor, bool remainder,
                                             IntegerSystem& system) {
  if (divisor < 1 || divisor >= kLargestRow) return std::nullopt;
  auto number = row_of(e, system);
  auto quotient = number ? quotient_of(e, *number, divisor, system) : std::nullopt;
  if (!quotient) return std::nullopt;
  if (!remainder) return LinearRow{{{*quotient, 1}}, 0};
  number->add({{{*quotient, 1}}, 0}, -divisor);
  return number;
}

/// m = min(a, b): m <= a, m <= b, and one of them is equal: a - room * z <= m with a z of 0 or 1,
/// b - room * (1 - z) <= m, where the rooms are as far as a and b can be apart. max: the other way.
std::optional<LinearRow> LinearRows::extreme_of(Binary const& node, IntegerSystem& system) {
  Expr self = binary(node.op, node.a, node.b);
  auto range = arith::bounds(self, ranges_), apart = arith::bounds(node.a - node.b, ranges_);
  bool known = range && apart && is_integer(node.a.type()) && node.a.type() != DType::kU64;
  auto a = known ? row_of(node.a, system) : std::nullopt;
  auto b = a ? row_of(node.b, system) : std::nullopt;
  if (!b || std::max(std::abs(apart->low), std::abs(apart->high)) >= kLargestRow)
    return std::nullopt;
  auto [at, added] = extremes_.try_emplace(to_text(self), 0);
  if (!added) return LinearRow{{{at->second, 1}}, 0};
  at->second = system.variable(range->low, range->high);
  int second = system.variable(0, 1), least = node.op == BinaryOp::kMin ? 1 : -1;
  int64_t above = std::max<int64_t>(apart->high, 0), below = std::max<int64_t>(-apart->low, 0);
  LinearRow const one{{{at->second, 1}}, 0}, chosen{{{second, 1}}, 0};
  auto add = [&](LinearRow const& row, int64_t room, bool when) {
    LinearRow bound, equal{{}, when ? room : 0};
    bound.add(row, least);
    bound.add(one, -least);
    equal.add(bound, -1);
    equal.add(chosen, when ? -room : room);
    system.not_negative.push_back(std::move(bound));
    system.not_negative.push_back(std::move(equal));
  };
  add(*a, least > 0 ? above : below, false);
  add(*b, least > 0 ? below : above, true);
  return one;
}

/// divisor * q <= number < divisor * (q + 1)
std::optional<int> LinearRows::quotient_of(Expr const& e, LinearRow const& number, int64_t divisor,
                                           IntegerSystem& system) {
  auto range = arith::bounds(floor_div(e, int_imm(divisor)), ranges_);
  if (!range) return std::nullopt;
  auto [at, added] = quotients_.try_emplace({to_text(e), divisor}, 0);
  if (!added) return at->second;
  at->second = system.variable(range->low, range->high);
  LinearRow rest = number, room{{}, divisor - 1};
  rest.add({{{at->second, 1}}, 0}, -divisor);
  room.add(rest, -1);
  system.not_negative.push_back(rest);
  system.not_negative.push_back(room);
  return at->second;
}

bool LinearRows::add_condition(Expr const& e, IntegerSystem& system) {
  if (auto value = as_int(e)) {
    if (*value == 0) system.not_negative.push_back({{}, -1});
    return true;
  }
  auto const* test = e.as<Binary>();
  bool known =
      test && (test->op == BinaryOp::kLt || test->op == BinaryOp::kLe || test->op == BinaryOp::kEq);
  auto a = known ? row_of(test->a, system) : std::nullopt;
  auto b = a ? row_of(test->b, system) : std::nullopt;
  if (!a || !b) return false;
  b->add(*a, -1);
  if (test->op == BinaryOp::kLt) b->constant -= 1;
  (test->op == BinaryOp::kEq ? system.zero : system.not_negative).push_back(*b);
  return true;
}

bool LinearRows::add_guard(Expr const& guard, IntegerSystem& system) {
  bool all = true;
  for (Expr const& part : conjuncts(guard)) all = add_condition(part, system) && all;
  return all;
}

}  // namespace tw
