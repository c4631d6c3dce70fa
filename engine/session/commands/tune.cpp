// Searches for a faster schedule of the current kernel.
#include "engine/session/commands/command_row.h"

namespace tw::session::command_tune {

Status run(Parts& parts, Tune const& c) { return parts.kernel_tuning.start(c); }

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_tune
