// Times a trial with each of its knobs set back to the default.
#include <fmt/format.h>

#include "engine/session/commands/command_row.h"
#include "engine/session/parts/edits.h"

namespace tw::session::command_ablate_trial {

Status run(Parts& parts, AblateTrial const& c) {
  StateCell::Pointer state = parts.cell.read();
  TRY(check_tuned(*state));
  TuningView view{state->runs, {}, {}};
  TuningRun const* of = view.run(c.run);
  TuningTrial const* trial = of ? of->trial(c.trial) : nullptr;
  if (!trial) return bad_input("no_trial", fmt::format("there is no trial {}", c.trial));
  if (trial->ms <= 0)
    return bad_input("no_time", fmt::format("trial {} has no time: {}", c.trial, trial->sentence));
  if (of->from == 0 && trial->knobs.empty())
    return bad_input("nothing_to_leave_out",
                     "this trial is the default schedule: every knob has its default");
  Ablated what{.model = state->model,
               .row = of->row,
               .title = fmt::format("trial {} of the {} search", trial->number, of->search),
               .script = trial->script};
  if (of->from == 0) what.point = {trial->knobs.begin(), trial->knobs.end()};
  parts.ablating.start(std::move(what));
  return {};
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_ablate_trial
