// Applies a schedule step, or several.
#include "engine/schedule/trace.h"
#include "engine/session/commands/command_row.h"
#include "engine/session/parts/edits.h"

namespace tw::session::command_apply_step {

Status run(Parts& parts, ApplyStep const& c) {
  MacroSet const* macros = parts.options.macros.get();
  TRY_ASSIGN(std::vector<Step> steps, parse_steps(c.line, macros));
  bool whole = true;
  TRY(parts.cell.commit([&](State& now) -> Status {
    if (!now.has_kernel()) return bad_input("no_kernel", "no kernel is selected");
    now.refusal = nullptr;
    for (Step const& step : steps) {
      auto taken = take(now, step, macros);
      if (taken) continue;
      std::string text = steps.size() == 1 ? c.line : tw::to_text(step);
      now.refusal = refused_step(now, taken.error(), text);
      whole = false;
      break;
    }
    return {};
  }));
  if (whole) parts.measuring.start();
  return {};
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_apply_step
