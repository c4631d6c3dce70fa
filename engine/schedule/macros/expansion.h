/// A macro's steps, taken on a schedule.
#pragma once

#include "engine/schedule/macros/macro_set.h"
#include "engine/schedule/schedule.h"

namespace tw {

/// All steps of the macro, or a refusal and none of them. The trace holds primitives only. A
/// refused step's own reason is told with the macro and the line; of loops that are made on the way
/// nobody has seen any, so that culprits and the conflict are of the loops before the first step.
/// Errors in the step itself are refusals as those of a primitive; loop_gone, macro_too_long,
/// wrong_names.
std::expected<Schedule, Refusal> apply_macro(Schedule const& schedule, Macro const& macro,
                                             Step const& step, MacroSet const& macros,
                                             ProofBudget budget = ProofBudget::kWork);

/// The same, and where the loops of the schedule before it are now.
struct Expanded {
  Schedule schedule;
  CursorMap cursors;
};
std::expected<Expanded, Refusal> expand_macro(Schedule const& schedule, Macro const& macro,
                                              Step const& step, MacroSet const& macros,
                                              ProofBudget budget);

/// A step that is a macro or a primitive. The program's own macros are one step of the trace, as
/// primitives are; another user has no macro of a folder, so that of those the primitives are kept.
std::expected<Schedule, Refusal> apply_step(Schedule const& schedule, Step const& step,
                                            MacroSet const& macros,
                                            ProofBudget budget = ProofBudget::kWork);

/// The steps of a trace, in primitives alone: each macro has become its steps.
std::expected<Schedule, Refusal> in_primitives(Schedule plain, std::vector<TakenStep> const& trace);

}  // namespace tw
