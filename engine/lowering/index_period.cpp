#include "engine/lowering/index_period.h"

#include <numeric>

#include "engine/arith/linear.h"
#include "engine/ir/rewrite.h"

namespace tw {

using namespace ir;

namespace {

constexpr int64_t kMostPeriod = 1 << 20;

}  // namespace

int64_t common_period(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  int64_t both = a / std::gcd(a, b) * b;
  return both <= kMostPeriod ? both : 0;
}

int64_t period_of(Expr const& e, std::string const& name) {
  int64_t all = 1;
  walk(e, [&](Expr const& part) {
    if (auto const* used = part.as<Variable>(); used && used->name == name) all = 0;
    auto const* rest = part.as<Binary>();
    auto by = rest && rest->op == BinaryOp::kFloorMod ? as_int(rest->b) : std::nullopt;
    if (!by || *by <= 0 || *by > kMostPeriod) return all != 0;
    for (arith::Linear::Term const& term : arith::to_linear(rest->a).terms) {
      auto const* used = term.term.as<Variable>();
      all = common_period(all, used && used->name == name ? *by / std::gcd(*by, term.factor)
                                                          : period_of(term.term, name));
    }
    return false;
  });
  return all;
}

}  // namespace tw
