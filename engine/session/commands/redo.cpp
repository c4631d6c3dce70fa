// Redoes the step that was undone last.
#include "engine/session/commands/command_row.h"
#include "engine/session/parts/edits.h"

namespace tw::session::command_redo {

Status run(Parts& parts, Redo const&) {
  return move_in_history(parts, [](History const& h) -> Result<History> { return h.redone(); });
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_redo
