/// Costs of the states of a history, found on a thread of their own and kept beside it.
#pragma once

#include <optional>

#include "engine/session/state/session_state.h"

namespace tw::session {

/// A state that nobody has modelled yet.
struct ToModel {
  Model model;
  int kernel = -1, node = -1;
  Schedule schedule;
  std::shared_ptr<Roofs const> rates;
};
/// Of the current kernel: its current state first, then those on the way to it, then the others;
/// where times are modelled only, of the other kernels the states that the model runs. Empty: all
/// are modelled, or the roofs are not known.
std::optional<ToModel> next_to_model(State const& state);
/// What runs when the kernel runs, modelled; of no time where the target has no model.
analysis::TimeModel modelled(ir::Program const& program, Backend const& backend,
                             Roofs const& rates);
/// Dropped where the model or the roofs have changed since.
void keep_model(State& state, ToModel const& what, analysis::TimeModel model);

/// A kernel of the model that nobody has looked at, on a device that is only described.
struct RowToModel {
  Model model;
  int row = -1;
  std::shared_ptr<Backend const> backend;
  std::shared_ptr<MachineView const> machine;
};
/// Empty: all are modelled, or times are measured here.
std::optional<RowToModel> next_row_to_model(State const& state);
RowModels::One modelled(RowToModel const& what);
/// Dropped where the model or the roofs have changed since.
void keep_row_model(State& state, RowToModel const& what, RowModels::One one);

/// Of what a state of the current kernel costs (queries/state_facts.cpp): it is asked by its
/// number.
QueryRow const& state_facts_row();
/// What the listing of a state's instructions is asked for as, whatever the target calls it.
inline constexpr char const* kInstructionsStage = "(instructions)";

/// Both sides of a comparison, without their facts.
StateToCompare side_of(State const& state, int node);
/// The same on the device of that name; empty: it was never tried there.
std::optional<StateToCompare> side_on(State const& state, int node, std::string const& device);

}  // namespace tw::session
