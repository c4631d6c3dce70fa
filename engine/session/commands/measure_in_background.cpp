// Measures kernels that have no time while nothing else runs, or stops to.
#include "engine/session/commands/command_row.h"

namespace tw::session::command_measure_in_background {

Status run(Parts& parts, MeasureInBackground const& c) {
  return parts.background.switch_on(!c.off), Status();
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_measure_in_background
