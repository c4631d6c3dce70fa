/// Hints as text, each by its word: read here for all of them.
#pragma once

#include "engine/ir/parse_expr.h"

namespace tw::ir {

/// Makes a hint of its expressions. Errors: wrong_arguments, bad_hint.
using HintReader = Result<Stmt> (*)(std::vector<Expr> const&, LineReader const&);
/// Null where no hint begins with this word.
HintReader hint_named(std::string_view word);

}  // namespace tw::ir
