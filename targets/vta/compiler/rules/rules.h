/// Schedules by rule and by template: which tiles stay in the accelerator's memories.
#pragma once

#include <optional>
#include <string>

#include "engine/schedule/decisions.h"
#include "engine/schedule/schedule.h"
#include "targets/vta/compiler/rules/step_memo.h"
#include "targets/vta/hardware/configuration.h"

namespace tw::vta {

/// Without answers the tiles that move the fewest bytes; without steps where no stage is anything
/// that the accelerator computes. `memo`: kept from point to point of the same configuration.
Result<Schedule> vta_schedule(ir::Program const& program,
                              std::shared_ptr<Target const> const& target,
                              Configuration const& configuration, Decisions& decisions,
                              StepMemo& memo);

/// Why no schedule by rule of a kernel of bytes becomes code, where that is how its tensors lie or
/// what it makes: in a sentence that names what would be needed. Empty: it is something else.
std::string why_unfit(ir::Program const& plain, Configuration const& configuration);

/// By rule with its tiles, and without virtual threads: nothing is loaded while something is
/// computed. Nothing where the rule has none.
std::optional<Schedule> schedule_in_turn(ir::Program const& program,
                                         std::shared_ptr<Target const> const& target,
                                         Configuration const& configuration);

/// A kernel with a product of bytes: its sums in ACC, tile by tile, with what is made of them.
/// Nothing where there is none, or where a step is refused.
std::optional<Schedule> product_schedule(Schedule const& plain, Configuration const& configuration,
                                         Decisions& decisions, StepMemo& memo);
/// A kernel of windows of bytes, the largest or least of each.
std::optional<Schedule> pool_schedule(Schedule const& plain, Configuration const& configuration,
                                      Decisions& decisions, StepMemo& memo);
/// A kernel that goes from element to element: its operands in ACC, tile by tile.
std::optional<Schedule> element_schedule(Schedule const& plain, Configuration const& configuration,
                                         Decisions& decisions, StepMemo& memo);

}  // namespace tw::vta
