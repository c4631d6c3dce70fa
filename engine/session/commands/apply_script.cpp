// Applies the steps of a script: those before the first that is refused stay.
#include "engine/schedule/trace.h"
#include "engine/session/commands/command_row.h"
#include "engine/session/parts/edits.h"

namespace tw::session::command_apply_script {

Status run(Parts& parts, ApplyScript const& c) {
  MacroSet const* macros = parts.options.macros.get();
  bool bare = c.text.find("tilewright") == std::string::npos;
  TRY_ASSIGN(Script script, parse_script(c.text, "script", bare, macros));
  TRY(parts.cell.commit([&](State& now) -> Status {
    if (!now.has_kernel()) return bad_input("no_kernel", "no kernel is selected");
    now.refusal = nullptr;
    for (auto const& [line, step] : script.steps) {
      auto taken = take(now, step, macros);
      if (taken) continue;
      now.refusal = refused_step(now, taken.error(), tw::to_text(step));
      break;
    }
    return {};
  }));
  parts.measuring.start();
  return {};
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_apply_script
