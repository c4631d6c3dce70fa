// Searches for faster schedules of all kernels of the model.
#include "engine/session/commands/command_row.h"

namespace tw::session::command_tune_model {

Status run(Parts& parts, TuneModel const& c) { return parts.model_tuning.start(c); }

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_tune_model
