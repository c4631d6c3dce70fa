// Closes the card of a refused step.
#include "engine/session/commands/command_row.h"

namespace tw::session::command_dismiss_refusal {

Status run(Parts& parts, DismissRefusal const&) {
  parts.cell.commit([](State& now) {
    now.refusal = nullptr;
    now.error = nullptr;
  });
  return {};
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_dismiss_refusal
