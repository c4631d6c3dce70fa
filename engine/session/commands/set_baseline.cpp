// Makes a state the baseline of every view.
#include "engine/session/commands/command_row.h"
#include "engine/session/parts/edits.h"

namespace tw::session::command_set_baseline {

Status run(Parts& parts, SetBaseline const& c) {
  return change_node(parts, c.history_node,
                     [&](History const& h) { return h.with_baseline(c.history_node); });
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_set_baseline
