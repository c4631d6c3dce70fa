// Runs the whole model on the device in use again.
#include "engine/session/commands/command_row.h"
#include "engine/session/parts/edits.h"

namespace tw::session::command_remove_cut {

Status run(Parts& parts, RemoveCut const&) {
  return change_cut(parts, [](LoadedModel const&, Cut const& now) -> Result<Cut> {
    return Cut{{now.places.front()}, {}};
  });
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_remove_cut
