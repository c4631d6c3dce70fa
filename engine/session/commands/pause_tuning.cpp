// Pauses the tuning after its current trial.
#include "engine/session/commands/command_row.h"
#include "engine/session/parts/edits.h"

namespace tw::session::command_pause_tuning {

Status run(Parts& parts, PauseTuning const&) {
  TRY(check_tuned(*parts.cell.read()));
  parts.gate.pause();
  return {};
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_pause_tuning
