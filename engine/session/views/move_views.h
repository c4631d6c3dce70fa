/// What could be done next with a schedule, as values.
#pragma once

#include "engine/backend/backend.h"
#include "engine/moves/next_moves.h"
#include "engine/schedule/schedule.h"
#include "engine/session/moves.h"

namespace tw::session {

/// Errors: no_time_model, unknown_name (nothing is called `of`).
Result<MovesView> moves_view(Schedule const& schedule, Backend const& backend, Roofs const& roofs,
                             moves::MovesWanted const& wanted);

/// One of them; `now`: the program that it begins at.
MoveView move_view(moves::NextMove const& move, ir::Program const& now);
/// What runs when a kernel runs, modelled; both outlive it.
moves::Model model_of(ir::Program const& now, Backend const& backend, Roofs const& roofs);

}  // namespace tw::session
