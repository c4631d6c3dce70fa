// Goes to any state of the history.
#include "engine/session/commands/command_row.h"
#include "engine/session/parts/edits.h"

namespace tw::session::command_jump_to {

Status run(Parts& parts, JumpTo const& c) {
  return move_in_history(parts, [&](History const& h) { return h.jumped(c.history_node); });
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_jump_to
