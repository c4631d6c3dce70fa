// Measures what the device in use reaches.
#include "engine/session/commands/command_row.h"

namespace tw::session::command_measure_roofs {

Status run(Parts& parts, MeasureRoofs const& c) { return parts.roofs.start(c.again), Status(); }

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_measure_roofs
