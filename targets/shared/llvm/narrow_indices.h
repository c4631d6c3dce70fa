/// Which indices of a device function can be computed in 32 bits.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/arith/linear.h"
#include "engine/arith/simplify.h"
#include "engine/ir/stmt.h"

namespace tw {

/// An i64 whose value, and every value on the way to it, is one of 32 bits: then it may be computed
/// in them.
bool fits_in_32_bits(ir::Expr const& e, arith::Ranges const& ranges);
/// Of a sum of the terms, in whatever order, and the constant.
bool fits_in_32_bits(std::vector<arith::Linear::Term> const& terms, int64_t constant,
                     arith::Ranges const& ranges);
/// Whether no sum of the terms is below zero.
bool is_never_negative(std::vector<arith::Linear::Term> const& terms, arith::Ranges const& ranges);

/// The values of a loop's counter, while the loop runs.
std::optional<arith::Interval> counts_of(ir::For const& loop, arith::Ranges const& ranges);

bool is_sum(ir::BinaryOp op);
/// Of two unknowns: as a linear form it is one term, itself.
bool is_product(ir::Expr const& e);

}  // namespace tw
