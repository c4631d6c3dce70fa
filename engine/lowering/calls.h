/// Calls of instructions, for passes that put something else in their place.
#pragma once

#include <string>

#include "engine/ir/stmt.h"
#include "engine/support/base/error.h"

namespace tw {

/// The loops that a call stands for; they come from where the call comes from, and their names
/// begin with `prefix`. Errors: call_overlaps, where it reads a tensor that it writes, as another
/// operand: the loops would read what they wrote before.
Result<ir::Stmt> loops_of_call(ir::IntrinsicCall const& call, std::string const& prefix);

}  // namespace tw
