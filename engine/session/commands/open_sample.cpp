// Opens a built-in model.
#include "engine/session/commands/command_row.h"

namespace tw::session::command_open_sample {

Status run(Parts& parts, OpenSample const& c) { return parts.opening.open("sample:" + c.name); }

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_open_sample
