/// The cut of a session's model between devices.
#pragma once

#include "engine/session/state/session_state.h"

namespace tw::session {

/// The first place is the device in use.
Cut cut_of(State const& state);
/// Times of kernels that run on another device now are forgotten. Errors: those of
/// `cut_plan`; the state is as it was then.
Status change_cut(State& state, std::vector<CutPoint> points);
/// Notes what the model took under its cut with these schedules, and shows it.
void take_model_time(State& state, std::map<int, std::string> const& scripts, double ms);
/// A project's cut, without the points that fit nothing; says in a sentence each which do not.
std::vector<std::string> take_project_cut(State& state, Project const& project);

}  // namespace tw::session
