/// The device in use, as a state knows it.
#pragma once

#include "engine/session/state/session_state.h"

namespace tw::session {

/// `title`: empty for this machine; `threads`: 0 for all.
DeviceInUse in_use(std::string const& title, std::shared_ptr<Backend const> backend, int threads);
/// The same device, without a model.
State without_model(State const& state);

}  // namespace tw::session
