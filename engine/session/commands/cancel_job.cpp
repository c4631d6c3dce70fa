// Cancels what is running.
#include "engine/session/commands/command_row.h"

namespace tw::session::command_cancel_job {

Status run(Parts& parts, CancelJob const&) {
  parts.queues.main.cancel_all(
      "open");  // who cancels what is shown has seen nothing of a model that waits
  parts.queues.errands.cancel_all();
  parts.background.hold(std::chrono::seconds(60));
  parts.ablating.stop();
  return {};
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_cancel_job
