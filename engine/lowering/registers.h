/// What a machine's configuration registers hold as a kernel runs (`ir::IntrinsicNode::needs`).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/ir/intrinsic.h"
#include "engine/ir/program.h"

namespace tw {

/// By register, as expressions of variables around. What is not listed is not known.
using RegisterState = std::map<std::string, ir::Expr>;

/// Values of registers that a declaration speaks of, with the numbers of a call.
RegisterState registers_of(ir::IntrinsicCall const& call,
                           std::vector<ir::RegisterValue> const& registers);
/// After a call.
void run(ir::IntrinsicCall const& call, RegisterState& held);
/// Other processors run its iterations, with registers of their own.
bool runs_elsewhere(ir::For const& loop);
/// What depends on a variable that is gone.
void forget(RegisterState& held, std::string const& variable);
/// What holds whichever of the two does.
RegisterState in_both(RegisterState const& a, RegisterState const& b);
/// After a loop with what it needs set in it, whose iterations leave `inside`, and which may not
/// run at all.
RegisterState after_loop(ir::For const& loop, RegisterState const& before, RegisterState inside);

/// The first call that may run without a register that it needs; null: none.
ir::Stmt call_without_register(ir::Stmt const& body);

}  // namespace tw
