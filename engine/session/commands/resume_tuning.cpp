// Resumes the paused tuning.
#include "engine/session/commands/command_row.h"
#include "engine/session/parts/edits.h"

namespace tw::session::command_resume_tuning {

Status run(Parts& parts, ResumeTuning const&) {
  TRY(check_tuned(*parts.cell.read()));
  parts.gate.resume();
  return {};
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_resume_tuning
