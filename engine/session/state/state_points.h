/// Where a state of a kernel stands below the roofs.
#pragma once

#include <optional>

#include "engine/session/state/session_state.h"

namespace tw::session {

/// Of an entry of a kernel's history; empty while it is not modelled.
std::optional<RooflinePoint> point_of(State const& state, int kernel, int node);

}  // namespace tw::session
