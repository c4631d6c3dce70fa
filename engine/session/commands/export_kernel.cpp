// Writes one kernel of the model alone.
#include "engine/session/commands/command_row.h"
#include "engine/session/parts/edits.h"

namespace tw::session::command_export_kernel {

Status run(Parts& parts, ExportKernel const& c) {
  return start_export(parts, c.target, c.folder, c.kernel);
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_export_kernel
