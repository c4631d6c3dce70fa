// Forgets the tunings that have ended.
#include "engine/session/commands/command_row.h"

namespace tw::session::command_clear_tuning {

Status run(Parts& parts, ClearTuning const&) {
  bool goes_on = parts.gate.tunes_model();
  parts.cell.commit([&](State& now) {
    std::erase_if(now.runs, [](auto const& run) { return !run->goes_on(); });
    if (!goes_on) now.model_tuning = nullptr, now.tuned_beside.clear();
    if (now.ablation && !now.ablation->goes_on) now.ablation = nullptr;
  });
  return {};
}

CommandRow const& row() {
  static CommandRow const row = command_row(run);
  return row;
}

}  // namespace tw::session::command_clear_tuning
