// Clears the baseline.
#include "engine/session/commands/command_row.h"
#include "engine/session/parts/edits.h"

namespace tw::session::command_clear_baseline {

Status run(Parts& parts, ClearBaseline const&) {
  return change_node(parts, 0, [](History const& h) { return h.with_baseline(-1); });
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_clear_baseline
