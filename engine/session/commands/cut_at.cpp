// Runs the model on another device from a node or kernel on.
#include "engine/session/commands/command_row.h"
#include "engine/session/parts/edits.h"
#include "engine/session/state/known_devices.h"

namespace tw::session::command_cut_at {

Status run(Parts& parts, CutAt const& c) {
  TRY(check_device(parts.options, c.device));
  return change_cut(parts, [&](LoadedModel const& model, Cut const& now) {
    return with_point(model.after, model.plan, now, {c.node, c.device});
  });
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_cut_at
