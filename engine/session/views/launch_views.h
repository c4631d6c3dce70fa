/// Launches of a kernel, as they are shown.
#pragma once

#include "engine/backend/backend.h"
#include "engine/session/launches.h"

namespace tw::session {

LaunchesView launches_view(ir::Program const& program, Backend const& backend, bool assembled,
                           StopToken stop);

}  // namespace tw::session
