// Names a state; an empty name removes it.
#include "engine/session/commands/command_row.h"
#include "engine/session/parts/edits.h"

namespace tw::session::command_name_state {

Status run(Parts& parts, NameState const& c) {
  return change_node(parts, c.history_node,
                     [&](History const& h) { return h.with_name(c.history_node, c.name); });
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_name_state
