/// What could be done next with a kernel.
#pragma once

#include "engine/schedule/schedule.h"
#include "engine/session/moves.h"
#include "engine/session/use_cases.h"

namespace tw::session {

struct MovesAsked {
  std::string of;  ///< a loop, a block or a tensor as scripts name it; empty: all
  size_t most = 12;
  size_t variants = 2;  ///< of one kind of move for one block
  Effort effort = Effort::kWork;  ///< of the proofs
  StopToken stop = {};
};

/// Of any schedule. Errors: no_time_model, unknown_name (nothing is called `of`).
Result<MovesView> moves_view(Schedule const& schedule, Backend const& backend, Roofs const& roofs,
                             MovesAsked const& asked);

/// Of a script's. Errors: the same, unknown_roofs, those of scripts.
Result<MovesView> legal_moves(LoadedModel const& model, int kernel, NamedScript const& script,
                              MachineView const& machine, Backend const& backend,
                              MovesAsked const& asked);

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
