// Measures every kernel inside the network.
#include "engine/session/commands/command_row.h"

namespace tw::session::command_measure_model {

Status run(Parts& parts, MeasureModel const&) { return parts.measuring.start_model(); }

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_measure_model
