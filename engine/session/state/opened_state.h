/// The state of a model that was just read.
#pragma once

#include "engine/session/state/session_state.h"

namespace tw::session {

/// A model that was read, on its way into the state.
struct Opened {
  Model model;
  std::string source, shapes = {};
  std::shared_ptr<Project const> project = {};
  TakenUp why = {};
  std::optional<DeviceInUse> device = {};  ///< another one than the state's, which it is read for
  std::string by_rule = {};  ///< a sentence about what is not as it was asked for; empty: it is
};

/// On its device, else on that of `before`, with the project's histories and cut; what did not fit
/// is the state's error.
State opened_state(State const& before, Opened const& opened);
/// What goes on of the state that it takes the place of: times, tunings, whether work was kept.
void go_on_from(State& next, State const& before, Opened const& opened);

}  // namespace tw::session
