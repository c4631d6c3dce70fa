// Writes a note on a state.
#include "engine/session/commands/command_row.h"
#include "engine/session/parts/edits.h"

namespace tw::session::command_set_note {

Status run(Parts& parts, SetNote const& c) {
  return change_node(parts, c.history_node,
                     [&](History const& h) { return h.with_note(c.history_node, c.note); });
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_set_note
