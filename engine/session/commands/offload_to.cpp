// Opens the model again in layouts that an accelerator reads, and cuts it so that what that can run
// runs there.
#include <fmt/format.h>

#include "engine/session/commands/command_row.h"
#include "engine/session/state/known_devices.h"

namespace tw::session::command_offload_to {

Status run(Parts& parts, OffloadTo const& c) {
  TRY(check_device(parts.options, c.device));
  StateCell::Pointer state = parts.cell.read();
  if (!state->model) return bad_input("no_model", "no model is open");
  if (state->model->is_expression)
    return bad_input("nothing_to_cut", "a tensor expression is one kernel: it cannot be cut");
  if (state->here.device == c.device)
    return bad_input("bad_cut",
                     fmt::format("'{}' is the device in use: choose another one first", c.device));
  auto project = std::make_shared<Project>(project_of(*state));
  project->model.accelerator = c.device;
  project->cut.clear();
  return parts.opening.reopen(*state, project, {.other_arrangement = true, .cut_by_rule = true});
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_offload_to
