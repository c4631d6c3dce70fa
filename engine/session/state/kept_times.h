/// Measured times of kernels that a change of the model, or of its cut, leaves as they are.
#pragma once

#include "engine/session/state/session_state.h"

namespace tw::session {

/// The times of a table, with what has to be known of them.
struct MeasuredTable {
  Model model;
  std::shared_ptr<KernelTable const> table;
  std::map<int, std::string> timed_scripts;
  std::set<int> timed_alone;
};
MeasuredTable measured_table(State const& state);
/// Kernels of the state that compute the same as before, where they ran before, have their times
/// again; the whole model has none.
void keep_times(State& state, MeasuredTable const& before);

}  // namespace tw::session
