/// What could be done next with a kernel.
#pragma once

#include "engine/session/use_cases.h"
#include "engine/session/views/move_views.h"

namespace tw::session {

/// Errors: those of `moves_view`, unknown_roofs, those of scripts.
Result<MovesView> legal_moves(LoadedModel const& model, int kernel, NamedScript const& script,
                              MachineView const& machine, Backend const& backend,
                              moves::MovesWanted const& wanted);

/// The first move that is offered, again and again while it is modelled to bring something.
struct FollowedMoves {
  std::string script;
  std::vector<MoveView> taken;
  double before_ms = 0, after_ms = 0;  ///< modelled
};
Result<FollowedMoves> follow_moves(LoadedModel const& model, int kernel, NamedScript const& script,
                                   MachineView const& machine, Backend const& backend,
                                   int most_moves, StopToken stop = {});

}  // namespace tw::session
