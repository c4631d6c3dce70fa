/// Iterations along two axes of a block, as values.
#pragma once

#include "engine/ir/program.h"
#include "engine/session/memory.h"

namespace tw::session {

/// Empty blocks: there is none, or it has less than one axis.
PlaneView plane_view(ir::Program const& program, PlaneAsked const& asked);

}  // namespace tw::session
