// Applies a schedule step, or several.
#include "engine/schedule/trace.h"
#include "engine/session/commands/command_row.h"
#include "engine/session/parts/edits.h"

namespace tw::session::command_apply_step {

Status run(Parts& parts, ApplyStep const& c) {
  TRY_ASSIGN(std::vector<Step> steps, parse_steps(c.line, parts.options.macros.get()));
  TRY_ASSIGN(bool whole, take_steps(parts, steps, c.line));
  if (whole) parts.measuring.start();
  return {};
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_apply_step
