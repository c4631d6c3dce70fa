/// Sums of products with constants: c0 + c1*t1 + c2*t2 + ... over i64 terms.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/ir/handles.h"

namespace tw::arith {

using ir::Expr;

/// A linear form. A term is any expression that is no sum and no product with a constant.
struct Linear {
  struct Term {
    Expr term;
    int64_t factor = 0;
  };
  std::vector<Term> terms;  ///< in order of their text; no factor is zero
  int64_t constant = 0;

  /// Coefficient of a variable, 0 if it does not occur on its own.
  int64_t factor_of(std::string const& variable) const;
  bool is_constant() const { return terms.empty(); }
};

Linear to_linear(Expr const& e);
Expr to_expr(Linear const& linear);
Linear add(Linear const& a, Linear const& b, int64_t factor_of_b = 1);
Linear scale(Linear const& a, int64_t factor);

}  // namespace tw::arith
