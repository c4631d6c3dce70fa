/// Layouts of a shared tensor, tried.
#pragma once

#include "engine/backend/backend.h"
#include "engine/session/launches.h"

namespace tw::session {

PaddingsView paddings_view(Schedule const& schedule, Backend const& backend,
                           std::string const& tensor, StopToken stop);

}  // namespace tw::session
