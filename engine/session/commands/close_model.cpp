// Closes the model.
#include "engine/session/commands/command_row.h"
#include "engine/session/state/device_in_use.h"

namespace tw::session::command_close_model {

Status run(Parts& parts, CloseModel const&) {
  parts.queues.main.cancel_all_but({"roofs", "device"});  // those are not of the model
  parts.stop_tuning();
  parts.cell.commit([](State& now) { now = without_model(now); });
  return {};
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_close_model
