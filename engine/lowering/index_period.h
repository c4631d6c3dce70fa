/// After how many values of a counter an index comes again, as slots of a ring do.
#pragma once

#include <cstdint>
#include <string>

#include "engine/ir/expr.h"

namespace tw {

/// What adds to a remainder wraps around. 1: `name` tells nothing; 0: it never comes again, or only
/// after very many values.
int64_t period_of(ir::Expr const& e, std::string const& name);
/// 0: never.
int64_t common_period(int64_t a, int64_t b);

}  // namespace tw
