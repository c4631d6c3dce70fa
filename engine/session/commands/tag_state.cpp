// Stars a state, or removes the star.
#include "engine/session/commands/command_row.h"
#include "engine/session/parts/edits.h"

namespace tw::session::command_tag_state {

Status run(Parts& parts, TagState const& c) {
  return change_node(parts, c.history_node,
                     [&](History const& h) { return h.with_tag(c.history_node, !c.off); });
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_tag_state
