/// What a simulated machine does, as it is shown.
#pragma once

#include "engine/backend/backend.h"
#include "engine/session/timeline.h"

namespace tw::session {

/// Simulates a scheduled program; `failure` says what went wrong.
SimulatedState simulated_state(ir::Program const& program, Backend const& backend, StopToken stop);

}  // namespace tw::session
