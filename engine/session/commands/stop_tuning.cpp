// Stops the tuning; what was found of a model is still compared, unless that was asked before.
#include "engine/session/commands/command_row.h"
#include "engine/session/parts/edits.h"

namespace tw::session::command_stop_tuning {

Status run(Parts& parts, StopTuning const&) {
  TRY(check_tuned(*parts.cell.read()));
  if (!parts.gate.have_enough()) parts.stop_tuning();
  return {};
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_stop_tuning
