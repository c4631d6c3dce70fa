// Opens the model again with other shapes of its inputs.
#include "engine/session/commands/command_row.h"

namespace tw::session::command_fix_shapes {

Status run(Parts& parts, FixShapes const& c) {
  StateCell::Pointer state = parts.cell.read();
  if (!state->model) return bad_input("no_model", "no model is open");
  return parts.opening.open(state->source, {}, c.shapes, {.other_shapes = true});
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_fix_shapes
