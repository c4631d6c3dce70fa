// SPDX-License-Identifier: GPL-3.0-or-later
/// What is known about a team's queue, in words for its view.
#pragma once

#include <vector>

#include "engine/records/work_queue.h"
#include "widgets/devices/team_rows.h"

namespace tw {

/// As a team's server has it at one moment.
struct TeamState {
  std::vector<records::JobProgress> jobs;
  std::vector<records::TeamDevice> workers;
  std::vector<records::HeldSlice> held;
};
/// Errors: those of the queue.
Result<TeamState> team_state(records::WorkQueue& queue);
/// Open jobs come first, as the server gives them out.
TeamRows rows_of(TeamState const& state);

}  // namespace tw
