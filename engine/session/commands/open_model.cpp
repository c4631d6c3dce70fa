// Opens a model or a tensor expression.
#include "engine/session/commands/command_row.h"

namespace tw::session::command_open_model {

Status run(Parts& parts, OpenModel const& c) { return parts.opening.open(c.path); }

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_open_model
