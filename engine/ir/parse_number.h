/// Literals: "3", "-7:i8", "0.5", "1e-3:f64", "inf", "nan(9221120237041090561)".
#pragma once

#include "engine/ir/parse_expr.h"

namespace tw::ir {

/// The literal that stands next; its sign, if any, was read. Without a type it is i64, or f32 where
/// it has a point or an exponent. Errors: number_too_large, of a type that does not hold it;
/// unknown_type; type_mismatch; no_nan.
Result<Expr> parse_number(LineReader& reader, bool negative);

}  // namespace tw::ir
