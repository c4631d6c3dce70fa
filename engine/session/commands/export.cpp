// Writes the model as a folder that runs alone.
#include "engine/session/commands/command_row.h"
#include "engine/session/parts/edits.h"

namespace tw::session::command_export {

Status run(Parts& parts, Export const& c) { return start_export(parts, c.target, c.folder, ""); }

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_export
