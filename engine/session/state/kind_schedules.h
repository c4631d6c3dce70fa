/// Where the kernels stand on kinds of devices that are not in use: found by a search there, or
/// left when another kind was put in use. Each is adopted when a device of its kind is.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/session/project/project.h"
#include "engine/session/tuning.h"

namespace tw {
class Backend;
struct KernelTask;
}  // namespace tw

namespace tw::session {

struct State;

/// In place of what was kept of that kernel and kind.
void keep_for_kind(State& state, KindSchedule schedule);
/// Where the kernel stands on that kind; null: nothing is known.
KindSchedule const* kept_for(State const& state, KernelTask const& kernel, std::string const& kind);
/// The scripts that kernels stand at on that kind, by their rows in this model; empty: at the
/// rule's.
std::map<int, std::string> kept_rows(State const& state, std::string const& kind);
/// All that is kept, with where those kernels stand on the kind in use now.
std::vector<KindSchedule> standings(State const& state);
/// On the kind in use the kernels stand where was kept for it: a schedule that another session or
/// another device in use has not seen is a new branch, with where it came from. Says in a sentence
/// each what does not apply.
std::vector<std::string> adopt_standings(State& state, Backend const& backend);
/// For the view.
std::vector<KeptSchedule> kept_elsewhere(State const& state);

/// The runs and results of `before`, for what is another model to the machine: those of its kernels
/// that are here, too, by name. `state.kind` says which are from elsewhere now.
void take_tunings(State& state, State const& before);

}  // namespace tw::session
