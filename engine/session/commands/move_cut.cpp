// Moves the beginning of a partition to another node.
#include "engine/session/commands/command_row.h"
#include "engine/session/parts/edits.h"

namespace tw::session::command_move_cut {

Status run(Parts& parts, MoveCut const& c) {
  return change_cut(parts, [&](LoadedModel const& model, Cut const& now) {
    return with_point_moved(model.after, model.plan, now, c.from, c.to);
  });
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_move_cut
