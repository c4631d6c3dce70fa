/// A call as the statements that it stands for.
#pragma once

#include <string>

#include "engine/ir/handles.h"

namespace tw::ir {

/// The statement with its loops named "PREFIX.LOOP.N".
Stmt with_own_loops(Stmt const& body, std::string const& prefix);

/// The behaviour on the call's operands: elements of tensors in place of the parameters' and
/// numbers in place of scalars. Its loops are `with_own_loops`, named as no others must be; null:
/// it changes nothing. What is lost is that a call reads everything before it writes
/// (`overlaps_itself`).
Stmt inlined(IntrinsicCall const& call, std::string const& prefix);

/// The call reads, as another operand, a tensor that it writes.
bool overlaps_itself(IntrinsicCall const& call);

}  // namespace tw::ir
