#include "targets/shared/llvm/narrow_indices.h"

#include <algorithm>
#include <cstdlib>

#include "engine/ir/expr.h"

namespace tw {

using namespace ir;

namespace {

bool fits(std::optional<arith::Interval> const& values) {
  return values && values->low >= INT32_MIN && values->high <= INT32_MAX;
}

/// What gives no more bits than its operands have.
bool keeps_bits(BinaryOp op) {
  return op == BinaryOp::kMin || op == BinaryOp::kMax || op == BinaryOp::kBitAnd ||
         op == BinaryOp::kBitOr || op == BinaryOp::kBitXor;
}

bool operator_fits(Binary const& node, Expr const& e, arith::Ranges const& ranges) {
  auto both = [&] { return fits_in_32_bits(node.a, ranges) && fits_in_32_bits(node.b, ranges); };
  if (is_sum(node.op)) {
    if (is_product(e)) return both();
    arith::Linear linear = arith::to_linear(e);
    return fits_in_32_bits(linear.terms, linear.constant, ranges);
  }
  if (keeps_bits(node.op)) return both();
  if (node.op != BinaryOp::kFloorDiv && node.op != BinaryOp::kFloorMod) return false;
  auto divisor = arith::bounds(node.b, ranges);
  return divisor && divisor->low > 0 && both();
}

}  // namespace

bool is_sum(BinaryOp op) {
  return op == BinaryOp::kAdd || op == BinaryOp::kSub || op == BinaryOp::kMul;
}

bool is_product(Expr const& e) {
  auto const* node = e.as<Binary>();
  if (!node || node->op != BinaryOp::kMul) return false;
  arith::Linear linear = arith::to_linear(e);
  return linear.terms.size() == 1 && linear.constant == 0 && linear.terms[0].factor == 1;
}

std::optional<arith::Interval> counts_of(For const& loop, arith::Ranges const& ranges) {
  auto extent = arith::bounds(loop.extent, ranges);
  if (!extent) return std::nullopt;
  return arith::Interval{0, std::max<int64_t>(extent->high, 1) - 1};
}

bool fits_in_32_bits(std::vector<arith::Linear::Term> const& terms, int64_t constant,
                     arith::Ranges const& ranges) {
  __int128 magnitude = constant < 0 ? -__int128(constant) : __int128(constant);
  for (auto const& term : terms) {
    if (term.factor < INT32_MIN || term.factor > INT32_MAX) return false;
    if (!fits_in_32_bits(term.term, ranges)) return false;
    auto values = arith::bounds(term.term, ranges);
    magnitude +=
        __int128(std::max(std::abs(values->low), std::abs(values->high))) * std::abs(term.factor);
  }
  return magnitude <= INT32_MAX;
}

bool is_never_negative(std::vector<arith::Linear::Term> const& terms, arith::Ranges const& ranges) {
  __int128 least = 0;
  for (auto const& term : terms) {
    auto values = arith::bounds(term.term, ranges);
    if (!values) return false;
    least += __int128(term.factor) * (term.factor < 0 ? values->high : values->low);
  }
  return least >= 0;
}

bool fits_in_32_bits(Expr const& e, arith::Ranges const& ranges) {
  if (e.type() != DType::kI64 || e.lanes() > 1 || !fits(arith::bounds(e, ranges))) return false;
  if (e.as<IntImm>() || e.as<Variable>()) return true;
  if (auto const* node = e.as<Select>())
    return fits_in_32_bits(node->a, ranges) && fits_in_32_bits(node->b, ranges);
  if (auto const* node = e.as<Cast>())
    return !is_float(node->a.type()) && size_of(node->a.type()) <= 4;
  auto const* node = e.as<Binary>();
  return node && operator_fits(*node, e, ranges);
}

}  // namespace tw
