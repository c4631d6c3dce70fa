// Opens the model again with another layout or algorithm: what the kernels that stay the same were
// shaped to goes on, the others' histories come back with their arrangement.
#include <fmt/format.h>

#include "engine/session/arranging.h"
#include "engine/session/commands/command_row.h"
#include "engine/session/model/fusion_knobs.h"
#include "engine/session/model/graph_options.h"

namespace tw::session::command_arrange {

Status run(Parts& parts, Arrange const& c) {
  size_t equals = c.choice.rfind('=');
  if (equals == std::string::npos || equals == 0)
    return bad_input(
        "bad_arrangement",
        fmt::format("a choice is KNOB=VALUE, as in channel_block=8, not '{}'", c.choice));
  StateCell::Pointer state = parts.cell.read();
  if (!state->model) return bad_input("no_model", "no model is open");
  Point point = arrangement_of(*state->model);
  auto [knob, value] = graph_option_called(c.choice.substr(0, equals), c.choice.substr(equals + 1));
  point[knob] = value;
  if (is_fusion_knob(knob)) {
    TRY(check_fusion(state->model->after, knob, value));
  } else {
    TRY(check_arrangement(point, state->model->knobs));
  }
  auto project = std::make_shared<Project>(project_of(*state));
  project->model.arrangement = point;
  return parts.opening.reopen(*state, project, {.other_arrangement = true});
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_arrange
