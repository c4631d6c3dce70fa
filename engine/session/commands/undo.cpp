// Undoes the last step.
#include "engine/session/commands/command_row.h"
#include "engine/session/parts/edits.h"

namespace tw::session::command_undo {

Status run(Parts& parts, Undo const&) {
  return move_in_history(parts, [](History const& h) -> Result<History> { return h.undone(); });
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_undo
