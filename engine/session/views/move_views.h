/// What could be done next with a schedule, as values.
#pragma once

#include "engine/backend/backend.h"
#include "engine/moves/next_moves.h"
#include "engine/schedule/schedule.h"
#include "engine/session/moves.h"

namespace tw::session {

struct MovesAsked {
  std::string of;  ///< a loop, a block or a tensor as scripts name it; empty: all
  size_t most = 12;
  size_t variants = 2;            ///< of one kind of move for one block
  Effort effort = Effort::kWork;  ///< of the proofs
  StopToken stop = {};
};

/// Errors: no_time_model, unknown_name (nothing is called `of`).
Result<MovesView> moves_view(Schedule const& schedule, Backend const& backend, Roofs const& roofs,
                             MovesAsked const& asked);

/// One of them.
MoveView move_view(moves::NextMove const& move);
/// What runs when a kernel runs, modelled; both outlive it.
moves::Model model_of(Backend const& backend, Roofs const& roofs);

}  // namespace tw::session
