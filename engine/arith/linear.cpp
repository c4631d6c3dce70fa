#include "engine/arith/linear.h"

#include <algorithm>
#include <cstdint>

#include "engine/ir/rewrite.h"
#include "engine/ir/text.h"
#include "engine/tensor/integers.h"

namespace tw::arith {
namespace {

using namespace ir;

/// Variables first by name, then the rest by text: a fixed order, so that equal sums look equal.
bool before(Expr const& a, Expr const& b) {
  auto const* x = a.as<Variable>();
  auto const* y = b.as<Variable>();
  if (x && y) return x->name < y->name;
  if (x || y) return x != nullptr;
  return to_text(a) < to_text(b);
}

/// In 64 bits that wrap: sums and products of wrapped numbers are the wrapped sums and products.
void accumulate(Linear& into, Expr const& e, int64_t factor) {
  if (auto value = as_int(e)) {
    into.constant = wrapped_sum(into.constant, wrapped_product(factor, *value));
    return;
  }
  if (auto const* node = e.as<Binary>()) {
    if (node->op == BinaryOp::kAdd || node->op == BinaryOp::kSub) {
      accumulate(into, node->a, factor);
      return accumulate(into, node->b,
                        node->op == BinaryOp::kAdd ? factor : wrapped_negative(factor));
    }
    auto left = as_int(node->a), right = as_int(node->b);
    if (node->op == BinaryOp::kMul && right)
      return accumulate(into, node->a, wrapped_product(factor, *right));
    if (node->op == BinaryOp::kMul && left)
      return accumulate(into, node->b, wrapped_product(factor, *left));
  }
  if (auto const* node = e.as<Unary>(); node && node->op == UnaryOp::kNeg)
    return accumulate(into, node->a, wrapped_negative(factor));
  into.terms.push_back({e, factor});
}

void normalize(Linear& linear) {
  std::stable_sort(linear.terms.begin(), linear.terms.end(),
                   [](auto const& a, auto const& b) { return before(a.term, b.term); });
  std::vector<Linear::Term> joined;
  for (Linear::Term const& term : linear.terms) {
    if (!joined.empty() && equal(joined.back().term, term.term))
      joined.back().factor = wrapped_sum(joined.back().factor, term.factor);
    else
      joined.push_back(term);
  }
  std::erase_if(joined, [](auto const& term) { return term.factor == 0; });
  linear.terms = std::move(joined);
}

}  // namespace

int64_t Linear::factor_of(std::string const& variable) const {
  for (Term const& term : terms)
    if (auto const* v = term.term.as<Variable>(); v && v->name == variable) return term.factor;
  return 0;
}

Linear to_linear(Expr const& e) {
  Linear linear;
  accumulate(linear, e, 1);
  normalize(linear);
  return linear;
}

Expr to_expr(Linear const& linear) {
  Expr sum;
  for (Linear::Term const& term : linear.terms) {
    bool subtract = sum && term.factor < 0;
    Expr part = term.term * (subtract ? wrapped_negative(term.factor) : term.factor);
    sum = !sum ? part : subtract ? sum - part : sum + part;
  }
  if (!sum) return int_imm(linear.constant);
  // The least number has no positive counterpart.
  bool subtract = linear.constant < 0 && linear.constant != INT64_MIN;
  return subtract ? sum - (-linear.constant) : sum + linear.constant;
}

Linear add(Linear const& a, Linear const& b, int64_t factor_of_b) {
  Linear sum = a;
  sum.constant = wrapped_sum(sum.constant, wrapped_product(factor_of_b, b.constant));
  for (Linear::Term const& term : b.terms)
    sum.terms.push_back({term.term, wrapped_product(factor_of_b, term.factor)});
  normalize(sum);
  return sum;
}

Linear scale(Linear const& a, int64_t factor) { return add({}, a, factor); }

}  // namespace tw::arith
