/// Declarations and calls of intrinsics as text.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "engine/ir/intrinsic.h"
#include "engine/ir/parse_expr.h"

namespace tw::ir {

using Intrinsics = std::map<std::string, Intrinsic>;  ///< by name

/// "read A: f32[n] @pad" or "scalar n: i64": one parameter of a declaration; its name is added to
/// `scope`. Errors: unknown_type, expected_parameter, those of a tensor's text.
Result<IntrinsicParam> parse_intrinsic_param(LineReader& reader, ExprScope& scope);

/// "call copy(4, S[x] over (x in 4), ...)": the whole line. Errors: unknown_intrinsic, name_taken,
/// those of expressions.
Result<Stmt> parse_call(LineReader& reader, ExprScope const& scope, Intrinsics const& known);

/// "intrinsic copy(...)" with its behaviour indented below: one declaration. Errors:
/// not_an_intrinsic, those of declarations.
Result<Intrinsic> parse_intrinsic(std::string_view text);

}  // namespace tw::ir
