#include "engine/arith/recombine_divmod.h"

#include <algorithm>

#include "engine/ir/rewrite.h"

namespace tw::arith {
namespace {

using namespace ir;

/// `e` as x // n or x % n with a positive constant.
struct Part {
  Expr x;
  int64_t n = 0;
};
std::optional<Part> part(Expr const& e, BinaryOp op) {
  auto const* node = e.as<Binary>();
  auto n = node && node->op == op ? as_int(node->b) : std::nullopt;
  if (!n || *n <= 0) return std::nullopt;
  return Part{node->a, *n};
}

/// The product, where it fits.
std::optional<int64_t> product(int64_t a, int64_t b) {
  int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
}

/// Whether e == x // n, where x may be a quotient itself: (y // m) // n is written y // (m*n).
bool is_quotient(Expr const& e, Expr const& x, int64_t n) {
  auto quotient = part(e, BinaryOp::kFloorDiv);
  if (!quotient) return false;
  if (quotient->n == n && equal(quotient->x, x)) return true;
  auto inner = part(x, BinaryOp::kFloorDiv);
  return inner && product(inner->n, n) == quotient->n && equal(quotient->x, inner->x);
}

/// What (x % n) + high*n is in one piece, or null: x where high == x // n, and x % (n*k) where
/// high == (x // n) % k.
Expr joined(Part const& low, Expr const& high) {
  if (is_quotient(high, low.x, low.n)) return low.x;
  auto rest = part(high, BinaryOp::kFloorMod);
  if (!rest || !is_quotient(rest->x, low.x, low.n)) return nullptr;
  auto whole = product(low.n, rest->n);
  return whole ? ir::binary(BinaryOp::kFloorMod, low.x, int_imm(*whole)) : Expr();
}

}  // namespace

Linear with_divmod_recombined(Linear sum) {
  for (size_t i = 0; i < sum.terms.size(); ++i) {
    auto low = part(sum.terms[i].term, BinaryOp::kFloorMod);
    for (size_t j = 0; low && j < sum.terms.size(); ++j) {
      if (product(sum.terms[i].factor, low->n) != sum.terms[j].factor) continue;
      Expr whole = joined(*low, sum.terms[j].term);
      if (!whole) continue;
      Linear scaled = scale(to_linear(whole), sum.terms[i].factor);
      sum.terms.erase(sum.terms.begin() + std::ptrdiff_t(std::max(i, j)));
      sum.terms.erase(sum.terms.begin() + std::ptrdiff_t(std::min(i, j)));
      return with_divmod_recombined(add(sum, scaled));
    }
  }
  return sum;
}

}  // namespace tw::arith
