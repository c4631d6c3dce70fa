// Applies the steps of a script: those before the first that is refused stay.
#include "engine/schedule/trace.h"
#include "engine/session/commands/command_row.h"
#include "engine/session/parts/edits.h"

namespace tw::session::command_apply_script {

Status run(Parts& parts, ApplyScript const& c) {
  bool bare = c.text.find("tilewright") == std::string::npos;
  TRY_ASSIGN(Script script, parse_script(c.text, "script", bare, parts.options.macros.get()));
  std::vector<Step> steps;
  for (auto const& [line, step] : script.steps) steps.push_back(step);
  TRY(take_steps(parts, steps, ""));
  parts.measuring.start();
  return {};
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_apply_script
