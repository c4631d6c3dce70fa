/// Whether the parts of one expression fit together: types and lanes. For verifiers.
#pragma once

#include <string>

#include "engine/ir/handles.h"

namespace tw::ir {

/// What is wrong with this node and its operands, as a sentence; empty when nothing is. Looks no
/// deeper than the operands' types and lanes.
std::string misfit(Expr const& e);

}  // namespace tw::ir
