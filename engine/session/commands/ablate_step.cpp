// Times a state with each of its steps left out.
#include <fmt/format.h>

#include "engine/session/commands/command_row.h"
#include "engine/session/state/known_devices.h"

namespace tw::session::command_ablate_step {

Status run(Parts& parts, AblateStep const& c) {
  StateCell::Pointer state = parts.cell.read();
  if (!state->has_kernel()) return bad_input("no_kernel", "no kernel is selected");
  TRY(check_attached(state->here.device));
  History const& history = state->now().history;
  if (!history.has(c.history_node)) return bad_input("unknown_node", "there is no such step");
  HistoryNode const& node = history.node(c.history_node);
  if (!node.refusal.empty())
    return bad_input("refused_here", "this device refuses a step before: " + node.refusal);
  if (node.schedule.trace().empty())
    return bad_input("nothing_to_leave_out", "the unscheduled loop nest has no steps to leave out");
  Ablated what{.model = state->model,
               .row = state->kernel,
               .title = fmt::format("step {}, {}", node.id, node.label),
               .script = node.schedule.script()};
  // Opened from a trial, it is a point of the template still.
  for (auto const& run : state->runs)
    for (auto const& trial : run->trials)
      if (run->row == what.row && run->from == 0 && trial->script == what.script)
        what.point = {trial->knobs.begin(), trial->knobs.end()};
  parts.ablating.start(std::move(what));
  return {};
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_ablate_step
